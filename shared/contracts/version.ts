// The version that a form of the dashboard was filled from; what it is: shapes/versions.ts.
import { text } from './fields.ts'

/** Without one nothing is compared. */
export const version = () => text({ max: 64 })
