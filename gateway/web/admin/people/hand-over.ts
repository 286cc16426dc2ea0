// “Hand over to …”: gives a person's duties to somebody else before the person leaves. Duties are the meetings that the
// person organizes, the places that they approve, and the desks and rooms assigned to them. Their bookings stay theirs.
import type pg from 'pg'
import { approvedPlacesSql, organizedMeetingsSql } from '../../../../shared/hand-over/hand-over.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { listRows, numberColumn, selectRows, textColumn } from '../../../reads/rows/rows.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { backQuery } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { findUsers, searchUsers, type UserChoice } from '../../pages/search/choices.ts'
import { form, showSearchForm } from '../../pages/ui/forms.ts'
import { type Column, formatList, showCard, showFactList, showLink, showTable } from '../../pages/ui/parts.ts'
import { userPages } from './user.ts'
import { countFutureBookings, listAssignedBookables } from './user-bookings.ts'

const SHOWN_USERS_MAX = 20

const listOrganizedMeetings = (reads: pg.Pool, userId: number, now: string) =>
  selectRows(reads, { id: numberColumn('id'), name: textColumn('name') }, organizedMeetingsSql('$1', '$2'), [
    userId,
    now,
  ])

/** Lists the places whose rules name the person as an approver. */
const listApprovedPlaces = (reads: pg.Pool, userId: number) =>
  listRows<{ name: string }>(
    reads,
    (['buildings', 'locations', 'bookables'] as const)
      .map((place) => `SELECT name FROM ${approvedPlacesSql(place, '$1')}`)
      .join(' UNION ALL '),
    [userId],
  )

async function listDuties({ reads, now }: Call, userId: number) {
  const [meetings, places, assigned] = await Promise.all([
    listOrganizedMeetings(reads, userId, now),
    listApprovedPlaces(reads, userId),
    listAssignedBookables(reads, userId),
  ])
  return { meetings, places, assigned, count: meetings.length + places.length + assigned.length }
}
type Duties = Awaited<ReturnType<typeof listDuties>>

type DutyCounts = { meetings: number; places: number; assigned: number }
const describeCounts = ({ meetings, places, assigned }: DutyCounts): string =>
  formatList(
    [
      meetings > 0 && plural(meetings, '# meeting', '# meetings'),
      places > 0 && plural(places, 'approvals of # place', 'approvals of # places'),
      assigned > 0 && plural(assigned, '# assigned desk or room', '# assigned desks and rooms'),
    ].filter((each): each is string => each !== false),
  )

/** Returns how many meetings, approvals, desks and rooms depend on the person. */
export const countDuties = async (call: Call, userId: number): Promise<number> =>
  (await listDuties(call, userId)).count

const handOverForm = object({ to: required(queryId()) })

export const handOverPage = userPages.page({
  path: '/hand-over',
  title: sentence`Hand over`,
  query: object({ ...backQuery, search: text({ max: 255 }) }),
  actions: (action) => ({
    'hand-over': action(handOverForm, async (call) => {
      const { to } = call.form
      const { data } = await call.dispatch('users.hand-over', { id: call.params.id, to })
      const [successor] = await findUsers(call.reads, [to])
      const handedOver = describeCounts(data)
      if (handedOver === '') return { redirectTo: call.linkHere(), notice: t`There is nothing to hand over.` }
      const notice = t`Handed over to ${successor?.name ?? ''}: ${handedOver}.`
      return data.is_complete
        ? { redirectTo: userPages.address(call, '/deactivate'), notice }
        : { redirectTo: call.linkHere(), notice: `${notice} ${t`There is more to hand over. Press again.`}` }
    }),
  }),
  async show(call, { name }) {
    const { search } = call.query
    const duties = await listDuties(call, call.params.id)
    const bookings = await countFutureBookings(call.reads, call.params.id, call.now)
    const found = search
      ? await searchUsers(call.reads, search, { without: [call.params.id], limit: SHOWN_USERS_MAX })
      : undefined
    return {
      title: t`Hand over what ${name} is responsible for`,
      lead: t`Meetings get the new organizer, approvals the new approver, and desks and rooms are assigned to the new person.`,
      content: html`${showKeptBookings(call, name, bookings)}
${
  duties.count === 0
    ? html`<p>${t`There is nothing to hand over.`}</p>`
    : html`${showCard(t`What will be handed over`, showDuties(duties), 'duties')}
<section aria-labelledby="to"><h2 id="to">${t`Hand over to`}</h2>
<div class="search">${showSearchForm(call, t`Search`, (fields) => fields.search('search', t`Name or e-mail`, { autofocus: true }))}</div>
${found && showCandidates(call, found)}</section>`
}`,
    }
  },
})

/** Says that the person keeps their bookings, because only duties are handed over. */
function showKeptBookings(call: Call<{ id: number }>, name: string, bookings: number): Content {
  if (bookings === 0) return null
  const kept = plural(
    bookings,
    '{0} keeps # booking, even after being deactivated, until somebody releases it.',
    '{0} keeps # bookings, even after being deactivated, until somebody releases them.',
    name,
  )
  return html`<p>${kept} ${showLink(`${userPages.address(call)}#bookings`, t`Show bookings`)}</p>`
}

const showDuties = ({ meetings, places, assigned }: Duties): Html =>
  showFactList([
    [t`Meetings they organize`, listNames(meetings.map((each) => each.name))],
    [t`Approver of`, listNames(places.map((each) => each.name))],
    [t`Assigned to them`, listNames(assigned.map(({ bookable, location }) => `${bookable}, ${location}`))],
  ])

const listNames = (names: string[]) =>
  names.length > 0 && html`<ul class="rows">${names.map((name) => html`<li>${name}</li>`)}</ul>`

function showCandidates(call: Call, found: UserChoice[]): Html {
  const columns: Column<UserChoice>[] = [
    { label: t`Name`, show: ({ name }) => name },
    { label: t`E-mail`, show: ({ email }) => email },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, name }) =>
        form(call, {
          action: 'hand-over',
          key: id,
          submit: t`Hand over`,
          submitLabel: t`Hand over to ${name}`,
          hidden: { to: id },
          tone: 'quiet',
          isInline: true,
        }),
    },
  ]
  return showTable(t`People found`, columns, found, t`No active people found.`)
}
