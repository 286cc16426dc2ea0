// The pages of booking requests: the list of pending requests, and the page on which one request is approved
// or declined.
import { REQUEST_STATES, type RequestState } from '../../../../shared/booking-requests/booking-requests.ts'
import { LAPSES_AFTER_WORKING_HOURS } from '../../../../shared/booking-requests/lapse.ts'
import { message } from '../../../../shared/messages/message.ts'
import { object, text } from '../../../../shared/schemas/fields.ts'
import { type Content, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  column,
  instantColumn,
  nullableColumn,
  numberColumn,
  selectRow,
  selectSlice,
  textColumn as textOf,
} from '../../../reads/rows/rows.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { REQUESTED_PEOPLE } from '../../pages/bookings/requested-people.ts'
import { findBackPath, findReturnAddress } from '../../pages/page/back.ts'
import { formatEnd, formatInstant, showInstant, showRelativeInstant } from '../../pages/time/instants.ts'
import { formatBookableType, showBookableLink } from '../../pages/ui/bookables.ts'
import { defineListPage, defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard, showFactList, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { showHistory } from '../audit-log/audit-entry.ts'

const REQUEST_COLUMNS = {
  id: numberColumn('holds.id'),
  state: column<RequestState>('holds.state'),
  ...rows.createSpanColumns('holds'),
  guest: nullableColumn(textOf('coalesce(holds.guest_name, holds.guest_email)')),
  info: nullableColumn(textOf('holds.booking_info')),
  reason: nullableColumn(textOf('holds.reason')),
  createdAt: instantColumn('holds.created_at'),
  expiresAt: instantColumn('holds.expires_at'),
  decidedAt: nullableColumn(instantColumn('holds.decided_at')),
  decider: nullableColumn(textOf('coalesce(deciders.name, admins.email)')),
  bookingId: nullableColumn(numberColumn('holds.booking_id')),
  eventId: nullableColumn(numberColumn('holds.event_id')),
  title: nullableColumn(textOf('holds.title')),
  people: REQUESTED_PEOPLE,
  userId: numberColumn('users.id'),
  user: textOf('users.name'),
  email: textOf('users.email'),
  ...rows.BOOKED_PLACE_COLUMNS,
}
type RequestRow = rows.RowOf<typeof REQUEST_COLUMNS>

const REQUESTS_FROM = `holds JOIN users ON users.id = holds.user_id
  JOIN bookables ON bookables.id = holds.bookable_id ${rows.JOIN_PLACES}
  LEFT JOIN users AS deciders ON deciders.id = holds.decided_by_user_id
  LEFT JOIN admins ON admins.id = holds.decided_by_admin_id
  WHERE holds.kind = 'request'`

const STATE_NAMES: Record<RequestState, Sentence> = {
  pending: sentence`waiting`,
  approved: sentence`approved`,
  declined: sentence`declined`,
  withdrawn: sentence`withdrawn`,
  lapsed: sentence`lapsed`,
  released: sentence`void`,
}
const STATE_TONES: Partial<Record<RequestState, string>> = {
  pending: 'accent',
  approved: 'good',
  declined: 'bad',
}

const [PENDING] = REQUEST_STATES

export const bookingRequestsPage = defineListPage({
  path: '/bookings/requests',
  title: sentence`Booking requests`,
  section: 'Bookings',
  readers: 'front-desk',
  find: ({ reads }, slice) =>
    selectSlice(reads, REQUEST_COLUMNS, `${REQUESTS_FROM} AND holds.state = $1`, slice, {
      values: [PENDING],
      orderBy: 'holds.expires_at, holds.id',
    }),
  view: () => ({
    breadcrumbs: [[t`Bookings`, '/bookings']],
    lead: t`A request holds its time until an approver decides. It lapses if nobody decides within ${LAPSES_AFTER_WORKING_HOURS} of the building’s working hours, or before the requested time begins.`,
  }),
  columns: (call) => [
    {
      label: t`Person`,
      show: (row) =>
        html`${showLinkOrText(call.link(`/people/${row.userId}`), row.user)} <small>${row.email}</small>`,
    },
    { label: t`Desk or room`, show: (row) => showBookableLink(call, row) },
    { label: t`Floor`, show: ({ location, building }) => html`${location} <small>${building}</small>` },
    { label: t`From`, isShort: true, show: (row) => formatInstant(row.from, row.zone) },
    { label: t`Until`, isShort: true, show: (row) => formatEnd(row.from, row.to, row.zone) },
    { label: t`Lapses`, isShort: true, show: (row) => showRelativeInstant(row.expiresAt, call.now) },
    {
      label: t`Actions`,
      isTools: true,
      show({ id, user, bookable }) {
        const words = t`Decide on ${user}’s request for ${bookable}`
        const own = call.link(`/bookings/requests/${id}`, { back: findReturnAddress(call) })
        return showLink(own, t`Decide`, { 'aria-label': words })
      },
    },
  ],
  empty: () => showEmptyState(t`No requests are waiting.`),
})

const requestPages = defineResourcePages({
  path: '/bookings/requests/{id}',
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  missing: message`There is no booking request with this id.`,
  find: (call) =>
    selectRow(call.reads, REQUEST_COLUMNS, `${REQUESTS_FROM} AND holds.id = $1`, [call.params.id]),
  above: (_found, call) => [
    [t`Bookings`, '/bookings'],
    [t`Booking requests`, findBackPath(call, '/bookings/requests')],
  ],
})

export const bookingRequestPage = requestPages.page({
  title: sentence`Booking request`,
  actions: (action) => ({
    approve: action(object({}), async (call) => {
      await call.dispatch('booking-requests.approve', { id: call.params.id })
      return {
        redirectTo: call.link(findBackPath(call, '/bookings/requests')),
        notice: t`Approved and booked.`,
      }
    }),
    decline: action(object({ reason: text({ max: 1_000 }) }), async (call) => {
      await call.dispatch('booking-requests.decline', { id: call.params.id, reason: call.form.reason })
      return {
        redirectTo: call.link(findBackPath(call, '/bookings/requests')),
        notice: t`Declined. The time is free again.`,
      }
    }),
  }),
  async show(call, found) {
    const { id, bookable, user, state } = found
    const badge = html`<span class="badge ${STATE_TONES[state] ?? ''}">${translate(STATE_NAMES[state])}</span>`
    const decision =
      state === PENDING &&
      call.mayWrite &&
      showCard(
        t`Decide`,
        html`${form(call, { action: 'approve', submit: t`Approve` })}
<div class="narrow">${form(call, { action: 'decline', submit: t`Decline`, tone: 'quiet' }, (fields) =>
          fields.text('reason', t`Reason for declining`, { hint: t`The person sees this reason.` }),
        )}</div>`,
        'decide',
      )
    return {
      title: t`${bookable} for ${user}`,
      content: html`<section class="card" aria-labelledby="facts"><h2 id="facts">${t`Details`} ${badge}</h2>
${showFactList(listFacts(call, found))}</section>
${decision}
${await showHistory(call, 'booking_requests', id, found.zone)}`,
    }
  },
})

function listFacts(
  call: Parameters<typeof showBookableLink>[0],
  found: RequestRow,
): Array<[string, Content]> {
  const { zone, bookingId, decidedAt, decider, state } = found
  const event =
    found.eventId === null
      ? null
      : showLinkOrText(call.link(`/events/${found.eventId}`), t`Meeting ${found.eventId}`)
  const booking =
    bookingId === null ? null : showLinkOrText(call.link(`/bookings/${bookingId}`), t`Booking ${bookingId}`)
  return [
    [
      t`Person`,
      html`${showLinkOrText(call.link(`/people/${found.userId}`), found.user)} <span class="soft">${found.email}</span>`,
    ],
    [formatBookableType(found.type), showBookableLink(call, found)],
    [t`Floor`, `${found.location}, ${found.building}`],
    [t`From`, showInstant(found.from, zone)],
    [t`Until`, showInstant(found.to, zone)],
    [t`Title`, found.title],
    [t`Attendees`, found.people.join(', ')],
    [t`Guest`, found.guest],
    [t`Purpose`, found.info],
    [t`Requested`, showInstant(found.createdAt, zone)],
    [t`Lapses`, state === PENDING ? showInstant(found.expiresAt, zone) : null],
    [
      t`Decided`,
      decidedAt === null
        ? null
        : html`${showInstant(decidedAt, zone)}${decider !== null && ` ${t`by ${decider}`}`}`,
    ],
    [t`Reason`, found.reason],
    [t`Booking`, booking],
    [t`Meeting`, event],
  ]
}
