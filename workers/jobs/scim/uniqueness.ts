// Reports fields whose values are already taken to identity providers, because SCIM has a separate error type for
// these.
import { Refusal } from '../../../shared/messages/refusal.ts'
import { toRefusal } from '../../runtime/refusals.ts'

/**
 * Runs the work, and reports its invalid fields as taken. All other reasons for invalid fields must have been checked
 * before.
 */
export async function reportInvalidFieldsAsTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const refusal = toRefusal(error)
    if (refusal?.code !== 'validation_failed') throw error
    const { code, detail, errors } = refusal
    throw new Refusal(code, detail, { errors, members: { scimType: 'uniqueness' } })
  }
}
