// The headers of an answer with 202: where the job is, and when to look again.
import type { AcceptedJobReply } from '../../shared/jobs/accepted-jobs-shape.ts'

const LOOK_AFTER_SECONDS = '2'

/** `body` is the job, also if an idempotency key has kept it. */
export function acceptedHeaders(body: string, baseUrl: string): Record<string, string> {
  const { data }: AcceptedJobReply = JSON.parse(body)
  return {
    Location: `${baseUrl}/api/v1/jobs/${data.id}`,
    'Retry-After': LOOK_AFTER_SECONDS,
  }
}
