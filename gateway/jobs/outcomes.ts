// Parses outcomes: the reply as a value, or the refusal as the worker threw it. An outcome that is sent on
// unchanged needs neither.
import type { Outcome, RefusedOutcome } from '../../shared/jobs/jobs.ts'
import { literal } from '../../shared/messages/message.ts'
import { type FieldErrors, Refusal } from '../../shared/messages/refusal.ts'
import { parseJsonText } from '../../shared/utilities/json-text.ts'

export function replyOf<Reply>(outcome: Outcome<Reply>): Reply {
  if (outcome.refused) throw refusalOf(outcome)
  return parseJsonText(outcome.body)
}

export function refusalOf({ refused, body, messages }: RefusedOutcome): Refusal {
  const { detail, errors, ...members } = parseJsonText(body)
  // An older release has stored only the English sentences.
  const stored = { detail: literal(detail), errors: errors && literalErrors(errors) }
  return new Refusal(refused, (messages ?? stored).detail, { errors: (messages ?? stored).errors, members })
}

const literalErrors = (errors: Record<string, string[]>): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([path, each]) => [path, each.map(literal)]))
