// The answer to a request that did not want to wait: where its job is.
import type { AcceptedJob } from '../jobs/accepted-jobs.ts'
import type { Answer } from './endpoint.ts'

export function acceptedAnswer({ id, replayed }: AcceptedJob, baseUrl: string): Answer {
  return {
    status: 202,
    body: null,
    headers: { 'Preference-Applied': 'respond-async', Location: `${baseUrl}/api/v1/jobs/${id}` },
    ...(replayed ? { replayed } : {}),
  }
}
