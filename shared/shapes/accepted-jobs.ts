// An accepted job as it is told to whoever has just handed it over, and to all who repeat that request.
import { dataText, json, number, objectJson, text, timestamp } from './json.ts'

/** What it has to be told by; also of one that is not stored yet. */
export type AcceptedJobReply = {
  data: { id: string; state: string; progress: number; created_at: string } & Record<
    'result' | 'file' | 'error' | 'finished_at',
    null
  >
}

const nothing = json<null>('NULL')

/** Of rows of `jobs` that have an id and when they were created. */
export const acceptedJobText = dataText(
  objectJson<AcceptedJobReply['data']>({
    id: text('jobs.id'),
    state: text("'queued'::text"),
    progress: number('0'),
    result: nothing,
    file: nothing,
    error: nothing,
    created_at: timestamp('jobs.created_at'),
    finished_at: nothing,
  }),
)
