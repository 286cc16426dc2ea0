// Who made a change, as the audit log and the outbox store it.
import type { Actor } from '../jobs/jobs.ts'

/**
 * Who made the change, by which request, and in which attempt. The caller may choose the id of the request; ours is that
 * of the attempt, so only it says what was done together. Null where nothing is audited.
 */
export type Author = { actor: Actor; requestId: string; attempt: string | null }
