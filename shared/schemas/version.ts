// Versions that a write may require: if the resource has changed since, the write is refused.
import { list, required, text } from './fields.ts'

/**
 * The version that a form of the dashboard was filled from; see versions.ts. Without one, nothing is
 * compared.
 */
export const version = () => text({ max: 64 })

/** How many ETags are compared; more do not fit into a request's headers. */
export const IF_MATCH_MAX = 1_000

/**
 * ETags as the resource's GET returns them: the resource must have one of them. Without the list, nothing is
 * compared.
 */
export const ifMatch = () => list(required(text({ max: 64 })), { max: IF_MATCH_MAX })
