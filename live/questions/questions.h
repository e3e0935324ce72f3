// The table of the questions that a host answers: a word and the function that answers it. To add
// one: a source live/questions/NAME_answer.cc with its header, and a line in questions.cc.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

// The answer of the table's function; a word that it lacks is an error that names the words.
// Throws nothing.
Result<HostAnswer> answer_question(const HostContext& context, const Question& question,
                                   PartSink* parts);

}  // namespace lockstep::live
