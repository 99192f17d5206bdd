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

using namespace CudaSplineProgram; // common to both programs

/** \brief Settings to warp images, and to compute inverses, displacements and determinants of transforms.
 *
 * All transforms have the dimension of the images, are in double precision, and map points of the fixed image to points
 * of the moving one. */
struct DeformationSettings
{
  ScalarType   type{ ScalarType::Float32 }; ///< of pixels and displacements
  unsigned int order{ 1 };                  ///< order of the interpolation of images; 1 is linear
  bool         isLabels{ false };           ///< nearest-neighbour interpolation instead
  std::string  device;
};

/** \brief Change of volumes by a transform. */
using Folding = itk::CudaSplineDetail::FieldFolding;

/** \brief Warps an image to a grid with itk::CudaResampleImageFilter.
 *
 * \param[in] image, grid, transform, settings the image, grid, transform and settings
 * \param[in] outside value where the transform maps to points outside of the image */
Volume
Warp(const Volume &              image,
     const Grid &                grid,
     const itk::TransformBase *  transform,
     double                      outside,
     const DeformationSettings & settings);

/** \brief Returns the inverse of a transform. It is exact for linear transforms, and for fields with an inverse. For
 * other fields and for B-splines it is computed by iteration on their domain, with the spacing of the fixed image.
 *
 * \exception ProgramError a linear transform has none */
itk::TransformBase::Pointer
Invert(const itk::TransformBase * transform, const Grid & fixed, const DeformationSettings & settings);

/** \brief A transform in the parts that ANTs writes: a field is applied first to a point, then a matrix. */
struct AntsParts
{
  itk::TransformBase::Pointer linear; ///< affine; the identity if there is none
  itk::TransformBase::Pointer rest;   ///< null: all transforms are linear
};

/** \brief Splits a transform into these parts. */
AntsParts
TakeApart(const itk::TransformBase * transform, unsigned int dimension);

/** \brief Returns the displacements of a transform on a grid, as vectors of float or double. */
itk::DataObject::Pointer
MakeField(const itk::TransformBase * transform, const Grid & grid, const DeformationSettings & settings);

/** \brief Writes displacements like WriteImage().
 *
 * \param[in] field result of MakeField()
 * \param[in] grid its grid
 * \param[in] type type of its numbers
 * \param[in] file the file
 * \return the parts of the geometry that the format did not keep
 * \exception ProgramError an unknown format, one that cannot store vectors, or the file is incomplete */
std::string
WriteField(itk::DataObject * field, const Grid & grid, ScalarType type, const std::string & file);

/** \brief Computes the determinants of the derivatives of `x + u(x)` by central differences, or by one-sided
 * differences at the border of the grid.
 *
 * \param[in] field u, result of MakeField()
 * \param[in] grid its grid
 * \param[in] type type of its numbers
 * \param[out] determinants an image of the field's type; null: not computed
 * \param[in] isLogarithm whether the image has logarithms, of at least 1e-4 where the transform folds */
Folding
MeasureFolding(const itk::DataObject * field,
               const Grid &            grid,
               ScalarType              type,
               Volume *                determinants,
               bool                    isLogarithm);

/** \brief Implementation of the functions above for a pixel type and dimension. It is instantiated once each, in files
 * that CMake writes from Deformation.cxx.in. */
template <typename TPixel, unsigned int VDimension>
struct DeformationOf
{
  static Volume
  Warp(const Volume &, const Grid &, const itk::TransformBase *, double, const DeformationSettings &);
  static itk::TransformBase::Pointer
  Invert(const itk::TransformBase *, const Grid &);
  static itk::DataObject::Pointer
  MakeField(const itk::TransformBase *, const Grid &, const DeformationSettings &);
  /** Returns the numbers of a field with interleaved components. They share the memory of the field. */
  static Volume
  HoldVectors(itk::DataObject *, const Grid &);
  static Folding
  MeasureFolding(const itk::DataObject *, const Grid &, Volume *, bool);
};

} // namespace CudaSplineRegister

#endif
