// Outcomes that say no.
import type { Envelope, RefusedOutcome } from '../shared/jobs.ts'
import { problemBody, type Refusal } from '../shared/refusal.ts'

export function refusedOutcome(refusal: Refusal, envelope: Envelope): RefusedOutcome {
  return { status: refusal.status, body: problemBody(refusal, envelope), refused: refusal.code }
}
