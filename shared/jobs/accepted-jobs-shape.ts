// An accepted job as a caller sees it who has just submitted it, or repeats that request.
import { dataText, json, number, objectJson, text, timestamp } from '../schemas/json.ts'

/** The members that it shows, also before it is stored. */
export type AcceptedJobReply = {
  data: { id: string; state: string; progress: number; created_at: string } & Record<
    'result' | 'file' | 'error' | 'finished_at',
    null
  >
}

const nothing = json<null>('NULL')

/** For rows of `jobs` with an id and a creation time. */
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
