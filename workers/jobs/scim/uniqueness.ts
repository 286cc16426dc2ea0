// Tells identity providers apart from all other invalid fields those that are taken: SCIM has a type of its own for it.
import { Refusal } from '../../../shared/messages/refusal.ts'
import { refusalFromError } from '../../runtime/refusals.ts'

/** Of what it refuses, all is taken: other fields have been checked before. */
export async function refuseAsTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const refusal = refusalFromError(error)
    if (refusal?.code !== 'validation_failed') throw error
    const { code, detail, errors } = refusal
    throw new Refusal(code, detail, { errors, members: { scimType: 'uniqueness' } })
  }
}
