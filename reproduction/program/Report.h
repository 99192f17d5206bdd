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
#ifndef Report_h
#define Report_h

#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief What the experiments found, as JSON.
 *
 *   { "program": ..., "format": 1, "context": { name: text }, "experiments": { name: [ row, ... ] } }
 *
 * A row is { "cell": { axis: text or number }, "values": { name: number, null or time } }: what was done, and its
 * results; a value may be a list of numbers, too. A time is { "ms": median, "q1": ..., "q3": ..., "n": repetitions },
 * in milliseconds. null is a number that is infinite or not a number. reproduction/reproduce and
 * reproduction/compare-results read it. */

/** \brief Repetitions of a time: median and quartiles (ms). */
struct Time
{
  double median{ 0.0 };
  double lower{ 0.0 }; ///< first quartile
  double upper{ 0.0 }; ///< third quartile
  int    count{ 0 };   ///< repetitions

  /** \param[in] milliseconds the repetitions, at least one, in any order */
  static Time
  Of(std::vector<double> milliseconds);
};

/** \brief A JSON text: of an axis, of a number, of a time. */
class JsonText
{
public:
  JsonText(const char * text);
  JsonText(const std::string & text);
  JsonText(int number);
  JsonText(long number);
  JsonText(double number);
  JsonText(const Time & time);
  JsonText(const std::vector<double> & numbers);

  const std::string &
  Get() const
  {
    return m_Text;
  }

private:
  std::string m_Text;
};

/** \brief Collects rows by experiment. */
class Report
{
public:
  using Fields = std::vector<std::pair<std::string, JsonText>>;

  /** Adds to the context: device, date, sizes. */
  void
  Describe(const std::string & name, const std::string & text);

  /** Rows that follow belong to this experiment. */
  void
  Begin(const std::string & experiment);

  /** \brief Adds a row.
   * \param[in] cell what was done; no two rows of an experiment have the same
   * \param[in] values what came out
   * \exception std::logic_error a row of the same cell is there already */
  void
  Add(const Fields & cell, const Fields & values);

  /** The whole report as JSON. */
  std::string
  Json() const;

private:
  struct Row
  {
    std::string cell;
    std::string values;
  };
  Fields                                                m_Context;
  std::vector<std::pair<std::string, std::vector<Row>>> m_Experiments;
};

#endif
