/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#ifndef CudaSplineRegister_Deformation_h
#define CudaSplineRegister_Deformation_h

#include "io/volume/Volume.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include "itkTransformBase.h"

#include <optional>
#include <string>

namespace CudaSplineRegister
{

using namespace CudaSplineProgram; // what the programs share

/** \brief What is computed with transforms: images under them, inverses, displacements, determinants.
 *
 * All transforms are of the images' dimension, in double, and map points of the fixed image to points of the moving
 * one. */
struct DeformationSettings
{
  ScalarType   type{ ScalarType::Float32 }; ///< of pixels and displacements
  unsigned int order{ 1 };                  ///< of the interpolation of images; 1 is linear
  bool         isLabels{ false };           ///< the nearest voxel instead
  std::string  device;
};

/** \brief What a transform does to volumes. */
using Folding = itk::CudaSplineDetail::FieldFolding;

/** \brief An image under a transform, on a grid, by itk::CudaResampleImageFilter.
 * \param[in] outside value where the transform leads out of the image */
Volume
Warp(const Volume &              image,
     const Grid &                grid,
     const itk::TransformBase *  transform,
     double                      outside,
     const DeformationSettings & settings);

/** \brief The inverse of a transform: of linear ones and of fields that have theirs exactly that, of other fields and
 * of B-splines by iteration on the fixed image's grid.
 * \exception ProgramError a linear transform has none */
itk::TransformBase::Pointer
Invert(const itk::TransformBase * transform, const Grid & fixed, const DeformationSettings & settings);

/** \brief A transform in the parts that ANTs writes: first the points go through a field, then through a matrix. */
struct AntsParts
{
  itk::TransformBase::Pointer linear; ///< affine; the identity where there is none
  itk::TransformBase::Pointer rest;   ///< null: all transforms are linear
};

/** \brief Takes a transform apart. */
AntsParts
TakeApart(const itk::TransformBase * transform, unsigned int dimension);

/** \brief Displacements of a transform on a grid, of vectors of float or double. */
itk::DataObject::Pointer
MakeField(const itk::TransformBase * transform, const Grid & grid, const DeformationSettings & settings);

/** \brief Writes displacements as WriteImage() does.
 * \param[in] field of MakeField() on the grid
 * \return what the format did not keep of the geometry
 * \exception ProgramError an unknown format, one that holds no vectors, or not written in full */
std::string
WriteField(itk::DataObject * field, const Grid & grid, ScalarType type, const std::string & file);

/** \brief Determinants of the derivatives of `x + u(x)`, by central differences, at the border of the grid by those to
 * the one neighbour.
 *
 * \param[in] field u, of MakeField() on the grid
 * \param[out] determinants an image of the field's type; null: not wanted
 * \param[in] isLogarithm the image has logarithms, of at least 1e-4 where the transform folds */
Folding
MeasureFolding(const itk::DataObject * field,
               const Grid &            grid,
               ScalarType              type,
               Volume *                determinants,
               bool                    isLogarithm);

/** \brief Work of the functions above for a pixel type and dimension; instantiated once each, in files that CMake
 * writes from Deformation.cxx.in. */
template <typename TPixel, unsigned int VDimension>
struct DeformationOf
{
  static Volume
  Warp(const Volume &, const Grid &, const itk::TransformBase *, double, const DeformationSettings &);
  static itk::TransformBase::Pointer
  Invert(const itk::TransformBase *, const Grid &, const DeformationSettings &);
  static itk::DataObject::Pointer
  MakeField(const itk::TransformBase *, const Grid &, const DeformationSettings &);
  /** The numbers of a field, the components of a vector next to each other. They share the field's memory. */
  static Volume
  HoldVectors(itk::DataObject *, const Grid &);
  static Folding
  MeasureFolding(const itk::DataObject *, const Grid &, Volume *, bool);
};

} // namespace CudaSplineRegister

#endif
