// The page that creates a booking: choose a person, a time and what is free then, and fill in the form.

import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { object, queryId, text } from '../../../shared/schemas/fields.ts'
import { type Content, html } from '../../http/html.ts'
import { backPath, backQuery } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { type BookableChoice, findBookables, findUsers, listBuildingChoices } from '../search/choices.ts'
import { zoneOf } from '../search/day-search.ts'
import { showChosenUser, showExceptionalStatus, userChooser } from '../search/filters.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { card } from '../ui/parts.ts'
import { choosingQuery, showBookableChoices } from './choose-bookable.ts'
import { createBooking, newBookingForm, showNewBookingForm } from './new-booking-form.ts'
import { parseRequestedTime } from './requested-time.ts'

export const newBooking = page({
  path: '/bookings/new',
  title: sentence`New booking`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  query: object({
    ...choosingQuery,
    ...backQuery,
    person: text({ max: 255 }),
    user: queryId(),
    bookable: queryId(),
  }),
  actions: (action) => ({
    create: action(newBookingForm, async (call) => {
      const { user, bookable } = await findChosen(call)
      if (!user || !bookable) throw invalid({ person: [message`Choose a person and what to book first.`] })
      const { id, notice } = await createBooking(call, call.form, user, bookable)
      return { redirectTo: call.link(backPath(call, `/bookings/${id}`)), notice }
    }),
  }),
  async show(call) {
    const [{ user, bookable }, buildings] = await Promise.all([
      findChosen(call),
      listBuildingChoices(call.reads),
    ])
    const zone = bookable?.zone ?? zoneOf(call.query.building, buildings)
    const requested = parseRequestedTime(call.query, zone, call.now)
    const cancel = call.link(backPath(call, '/bookings'))
    const details =
      user && bookable
        ? await showNewBookingForm(call, { user, bookable, requested, cancel })
        : html`<p class="soft">${t`Choose a person and what to book first.`} ${showLink(cancel, t`Cancel`)}</p>`
    return {
      breadcrumbs: [[t`Bookings`, '/bookings']],
      content: html`${card(t`Person`, user ? showChosenUser(call, user) : await userChooser(call, { label: t`Name or e-mail` }), 'who')}
${card(
  t`Desk, room or parking spot`,
  bookable
    ? showChosenBookable(call, bookable)
    : await showBookableChoices(call, requested, buildings, user?.id),
  'what',
)}
${card(t`Details`, details, 'when')}`,
    }
  },
})

type Choosing = Call<unknown, { user?: number; bookable?: number; person?: string | undefined }>

async function findChosen({ reads, query }: Choosing) {
  const [users, bookables] = await Promise.all([
    findUsers(reads, query.user === undefined ? [] : [query.user]),
    findBookables(reads, query.bookable === undefined ? [] : [query.bookable]),
  ])
  const [user, bookable] = [users[0], bookables[0]]
  return { user: user?.isActive ? user : undefined, bookable: bookable?.isDeleted ? undefined : bookable }
}

function showChosenBookable(call: Call, bookable: BookableChoice): Content {
  const { id, name, type, location, building } = bookable
  return html`<p class="chosen"><span>${showLinkOrText(call.link(`/places/bookables/${id}`), name)} ${showExceptionalStatus(bookable)}
<span class="soft">${formatBookableType(type)}, ${location}, ${building}</span></span>
${showLink(call.linkHere({ bookable: null }), t`Choose another`)}</p>`
}
