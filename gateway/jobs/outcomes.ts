// Outcomes read again: the reply as a value, or the refusal as the worker threw it. What is sent on as it is needs neither.
import type { Outcome, RefusedOutcome } from '../../shared/jobs.ts'
import { Refusal } from '../../shared/refusal.ts'
import { parseJsonText } from '../../shared/shapes/json-text.ts'

export function replyOf<Reply>(outcome: Outcome<Reply>): Reply {
  if (outcome.refused) throw refusalOf(outcome)
  return parseJsonText(outcome.body)
}

export function refusalOf({ refused, body }: RefusedOutcome): Refusal {
  const { detail, errors, ...members } = parseJsonText(body)
  return new Refusal(refused, detail, { errors, members })
}
