// Asks for confirmation before an action on a user, and says what will happen to their bookings.
import { backPath, keepBack, type Returning } from '../kit/back.ts'
import type { Call, View } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { confirmation, type FormOptions } from '../ui/forms.ts'
import { type AssignedBookable, listAssignedBookables } from './assignments.ts'
import { requireUser } from './queries.ts'
import { countFutureBookings } from './user-bookings.ts'

type Question = FormOptions & { question: string; consequence: string }

/** `ask` gets the user's name, how many current and upcoming bookings they have, and their assignments. */
export async function userConfirmation(
  call: Call<{ id: number }> & Returning,
  ask: (name: string, bookings: number, assigned: AssignedBookable[]) => Question,
): Promise<View> {
  const { id } = call.params
  const [{ name }, bookings, assigned] = await Promise.all([
    requireUser(call.reads, id),
    countFutureBookings(call.reads, id, call.now),
    listAssignedBookables(call.reads, id),
  ])
  const back = keepBack(call, `/people/${id}`)
  return {
    breadcrumbs: [
      [t`People`, backPath(call, '/people')],
      [name, back],
    ],
    ...confirmation(call, { cancel: call.link(back), ...ask(name, bookings, assigned) }),
  }
}
