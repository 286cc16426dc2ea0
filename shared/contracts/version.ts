// What a write may say of the state that it was made for: where the present one is another, the write is refused.
import { list, required, text } from './fields.ts'

/** The version that a form of the dashboard was filled from; what it is: shapes/versions.ts. Without one nothing is compared. */
export const version = () => text({ max: 64 })

/** How many ETags are looked at; more of them do not fit into a request's headers. */
export const IF_MATCH_MAX = 1_000

/** ETags of the resource as its GET answers: it must have one of them. Without the list nothing is compared. */
export const ifMatch = () => list(required(text({ max: 64 })), { max: IF_MATCH_MAX })
