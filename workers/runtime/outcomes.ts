// Turns a refusal into an outcome.
import type { Envelope, RefusedOutcome } from '../../shared/jobs/jobs.ts'
import { problemBody, type Refusal } from '../../shared/messages/refusal.ts'

export function refusedOutcome(refusal: Refusal, envelope: Envelope): RefusedOutcome {
  const { status, code, detail, errors } = refusal
  return {
    status,
    body: problemBody(refusal, envelope),
    refused: code,
    messages: { detail, ...(errors ? { errors } : {}) },
  }
}
