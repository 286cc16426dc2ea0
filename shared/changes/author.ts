// Defines the author of a change, as the audit log and the outbox store it.
import type { Actor } from '../jobs/jobs.ts'

/** The author of a change, with its request and attempt. A caller may choose the request id, but Berth
 * generates the attempt id, so only the attempt shows which changes were made together. The attempt is null
 * for changes that are not audited. */
export type Author = { actor: Actor; requestId: string; attempt: string | null }
