// Books a free desk from its panel on the map. The user enters a person; the desk and the time come from the
// panel.

import type * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { findBookables, findUsers, searchUsers, showFoundUsers } from '../../pages/search/choices.ts'
import { localDateTime } from '../../pages/time/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard } from '../../pages/ui/parts.ts'
import { missingBookable } from '../bookables/queries.ts'
import { createBooking } from '../bookings/new-booking.ts'

export const bookingForm = object({
  person: required(text({ max: 255, min: 1 })),
  /** The person, set by a script once the user has chosen one of the people found. */
  user: queryId(),
  bookable: required(queryId()),
  /** The start of the booking; if empty, the booking begins now. */
  from_time: localDateTime(),
  to_time: required(localDateTime()),
})
type BookingValues = yup.InferType<typeof bookingForm>

type MapViewQuery = Record<'names' | 'shown' | 'person', string | undefined>

/** If several people have the name, redirects to the page for a new booking, which asks which of them is meant. */
export async function bookOnMap<Query extends Partial<MapViewQuery>>(
  call: ActionCall<unknown, Query, BookingValues>,
) {
  const { person, user: userId, bookable: id, from_time, to_time } = call.form
  const [[bookable], people] = await Promise.all([
    findBookables(call.reads, [id]),
    userId === undefined ? searchUsers(call.reads, person, { limit: 2 }) : findUsers(call.reads, [userId]),
  ])
  if (!bookable || bookable.isDeleted) throw new Refusal('not_found', missingBookable)
  const [user, another] = people.filter(({ isActive }) => isActive)
  if (!user) throw invalidFields({ person: [message`No active people found.`] })
  if (another) {
    const asked = { bookable: id, person, from: from_time, to: from_time && to_time }
    return { redirectTo: call.link('/bookings/new', asked) }
  }
  const { notice } = await createBooking(call, { from_time, to_time }, user, bookable)
  const [date, time] = from_time?.split('T') ?? []
  const { names, shown } = call.query
  const redirectTo = call.link('/map', {
    location: bookable.locationId,
    date,
    time: time?.slice(0, 5),
    shown,
    names,
    bookable: id,
  })
  return { redirectTo, notice }
}

/**
 * Shows the booking form: in the panel, where a script fills in the desk and the time, or on its own page after a
 * refusal.
 */
export function showBookingForm(
  call: Call,
  bookables: Array<{ id: number; name: string }>,
): { inPanel: Html | false; onPage: Html | false } {
  const refused = call.refusedForm?.action === 'book' ? call.refusedForm.values : undefined
  const asked = bookables.find(({ id }) => String(id) === refused?.['bookable']?.[0])
  const hidden = Object.fromEntries(
    ['user', 'bookable', 'from_time', 'to_time'].map((name) => [name, refused?.[name]?.[0] ?? '']),
  )
  const own = form(call, { action: 'book', submit: t`Book`, hidden, isInline: true }, (fields) =>
    fields.text('person', t`Person`, { placeholder: t`Name or e-mail` }),
  )
  const shown = html`${own}<p class="unseen" role="status" data-say></p>`
  return {
    inPanel:
      call.mayWrite &&
      !refused &&
      html`<div data-book-form hidden><p class="soft" data-span></p>${shown}</div>`,
    onPage:
      refused !== undefined &&
      showCard(asked ? t`Book ${asked.name}` : t`Book`, html`<div data-book-form>${shown}</div>`, 'book'),
  }
}

/** Shows the people found, which a script displays below the field while the user types. */
export async function showPeopleSuggestions({
  reads,
  query,
}: Call<unknown, Partial<MapViewQuery>>): Promise<Html> {
  const { person } = query
  if (person === undefined) return html``
  return showFoundUsers(await searchUsers(reads, person), ({ id }) => ({ 'data-user': id }))
}
