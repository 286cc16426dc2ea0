// The page of one user, with what integrators need (vehicle IDs, attributes), their bookings and events.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/history.ts'
import { calendarCard, createCalendar } from '../calendars/calendars.ts'
import { backPath, backQuery, keepBack, type Returning } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { card, showFacts } from '../ui/parts.ts'
import { type Column, table } from '../ui/tables.ts'
import { type AssignedBookable, listAssignedBookables, showAssignedBookables } from './assignments.ts'
import { missingUser, requireUser, type User } from './queries.ts'
import { bookingsTable, eventsSection } from './shown-bookings.ts'
import { listFutureBookings, listPastBookings } from './user-bookings.ts'

const BOOKINGS_SHOWN = 100
const PAST_SHOWN = 10

export const user = page({
  path: '/people/{id}',
  title: sentence`Person`,
  section: 'People',
  readers: 'reader',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingUser,
  actions: (action) => ({
    'create-calendar': action(object({}), (call) => createCalendar(call, 'user_id')),
    restore: action(object({}), async (call) => {
      await call.dispatch('users.restore', { ids: [call.params.id] })
      return { redirectTo: call.linkHere(), notice: t`Person restored.` }
    }),
  }),
  async show(call) {
    const { id } = call.params
    const [found, bookings, past, assigned] = await Promise.all([
      requireUser(call.reads, id),
      listFutureBookings(call.reads, id, call.now, BOOKINGS_SHOWN + 1),
      listPastBookings(call.reads, id, call.now, PAST_SHOWN),
      listAssignedBookables(call.reads, id),
    ])
    const isDeactivated = found.deactivatedAt !== null
    return {
      title: found.name,
      lead: isDeactivated
        ? html`<span class="badge warn">${t`deactivated`}</span> ${showRelativeInstant(found.deactivatedAt ?? '', call.now)}`
        : undefined,
      breadcrumbs: [[t`People`, backPath(call, '/people')]],
      tools: tools(call, isDeactivated),
      content: html`${isDeactivated && assigned.length > 0 && keptAssignments(assigned)}<section class="card">${userFacts(call, found)}</section>
${assigned.length > 0 && card(t`Assigned to them`, showAssignedBookables(call, assigned), 'assigned-to-them')}
<section aria-labelledby="vehicles"><div class="head"><h2 id="vehicles">${t`Vehicles`}</h2></div>
${table(t`Vehicles`, vehicleColumns(), found.vehicles, t`No vehicles.`)}</section>
<section aria-labelledby="bookings"><div class="head"><h2 id="bookings">${t`Current and upcoming bookings`}</h2>${
        isDeactivated
          ? bookings.length > 0 &&
            html`<div class="tools">${showLink(call.link(keepBack(call, `/people/${id}/release`)), t`Release bookings`, { class: 'button danger' })}</div>`
          : html`<div class="tools">${showLink(call.link('/bookings/new', { user: id }), t`New booking`, { class: 'button quiet' })}</div>`
      }</div>
${bookingsTable(call, t`Current and upcoming bookings`, bookings.slice(0, BOOKINGS_SHOWN), t`No current or upcoming bookings.`)}
${bookings.length > BOOKINGS_SHOWN && html`<p class="soft">${t`Only the first ${BOOKINGS_SHOWN} are shown.`}</p>`}</section>
${await eventsSection(call)}
<section aria-labelledby="past"><div class="head"><h2 id="past">${t`Last bookings`}</h2></div>
${bookingsTable(call, t`Last bookings`, past, t`No past bookings.`)}</section>
${isDeactivated ? null : await calendarCard(call, 'user_id', id)}
${await showHistory(call, 'users', id)}`,
    }
  },
})

function keptAssignments(assigned: AssignedBookable[]): Html {
  const sentences = plural(
    assigned.length,
    '# desk or room is still assigned to this deactivated person, and nobody else can book it. End the assignment below.',
    '# desks and rooms are still assigned to this deactivated person, and nobody else can book them. End the assignment below.',
  )
  return html`<div class="notice warn"><p>${sentences}</p></div>`
}

function tools(call: Returning & Call<{ id: number }>, isDeactivated: boolean): Html {
  const { id } = call.params
  const own = (below: string) => call.link(keepBack(call, `/people/${id}/${below}`))
  const edit = showLink(own('edit'), t`Edit`, { class: 'button quiet' })
  const erase = showLink(own('erase'), t`Erase`, { class: 'button quiet' })
  return isDeactivated
    ? html`${edit}${erase}${form(call, { action: 'restore', submit: t`Restore`, isInline: true })}`
    : html`${edit}${showLink(own('deactivate'), t`Deactivate`, { class: 'button quiet' })}${erase}`
}

function userFacts(call: Call, { id, email, upn, groups, attributes, createdAt, updatedAt }: User): Html {
  const none = html`<span class="soft">${t`none`}</span>`
  const given = Object.entries(attributes).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return showFacts([
    [t`E-mail`, email],
    [t`UPN`, upn ?? none],
    [t`Groups`, groups.length > 0 ? groups.map((each) => html`<span class="badge">${each}</span> `) : none],
    ...given,
    [t`ID`, html`<code>${id}</code>`],
    [t`Added`, showRelativeInstant(createdAt, call.now)],
    [t`Changed`, showRelativeInstant(updatedAt, call.now)],
  ])
}

const vehicleColumns = (): Column<User['vehicles'][number]>[] => [
  { label: t`License plate`, isHead: true, show: ({ license_plate }) => license_plate },
  { label: t`ID`, show: ({ id }) => html`<code>${id}</code>` },
]
