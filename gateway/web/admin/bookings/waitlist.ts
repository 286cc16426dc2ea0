// The waitlist page: who is waiting for which place, since when, and what they have been offered. Entries are
// shown in the order of the waitlist.
import { html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  instantColumn,
  nullableColumn,
  numberColumn,
  selectSlice,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import { formatEnd, formatInstant, formatTime, showRelativeInstant } from '../../pages/time/instants.ts'
import { formatAnyOfType } from '../../pages/ui/bookables.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'

const WAIT_COLUMNS = {
  id: numberColumn('waits.id'),
  userId: numberColumn('users.id'),
  user: textColumn('users.name'),
  email: textColumn('users.email'),
  /** The name of the bookable; null if the person waits for any place on the floor. */
  bookable: nullableColumn(textColumn('bookables.name')),
  type: numberColumn('coalesce(bookables.type, waits.type)'),
  ...rows.createSpanColumns('waits'),
  since: instantColumn('waits.created_at'),
  offered: nullableColumn(textColumn('(SELECT name FROM bookables WHERE bookables.id = holds.bookable_id)')),
  offeredUntil: nullableColumn(instantColumn('holds.expires_at')),
  ...rows.PLACE_COLUMNS,
}

const WAITS_FROM = `waits JOIN users ON users.id = waits.user_id
  LEFT JOIN holds ON holds.id = waits.hold_id AND waits.state = 'offered'
  LEFT JOIN bookables ON bookables.id = waits.bookable_id
  JOIN locations ON locations.id = coalesce(bookables.location_id, waits.location_id)
  JOIN buildings ON buildings.id = locations.building_id
  WHERE waits.ended_at IS NULL AND upper(waits.during) > $1::timestamptz`

export const waitlistPage = defineListPage({
  path: '/bookings/waitlist',
  title: sentence`Waitlist`,
  section: 'Bookings',
  readers: 'front-desk',
  find: ({ reads, now }, slice) =>
    selectSlice(reads, WAIT_COLUMNS, WAITS_FROM, slice, { values: [now], orderBy: 'waits.id' }),
  view: () => ({
    breadcrumbs: [[t`Bookings`, '/bookings']],
    lead: t`When a place becomes free, it is offered to the first person in line who may book it.`,
  }),
  columns: (call) => [
    {
      label: t`Person`,
      show: ({ userId, user, email }) =>
        html`${showLinkOrText(call.link(`/people/${userId}`), user)} <small>${email}</small>`,
    },
    { label: t`Waits for`, show: ({ bookable, type }) => bookable ?? formatAnyOfType(type) },
    { label: t`Floor`, show: ({ location, building }) => html`${location} <small>${building}</small>` },
    { label: t`From`, isShort: true, show: ({ from, zone }) => formatInstant(from, zone) },
    { label: t`Until`, isShort: true, show: ({ from, to, zone }) => formatEnd(from, to, zone) },
    { label: t`Waiting since`, isShort: true, show: ({ since }) => showRelativeInstant(since, call.now) },
    {
      label: t`Offer`,
      show: ({ offered, offeredUntil, zone }) =>
        offered !== null &&
        offeredUntil !== null &&
        html`<span class="badge accent">${t`${offered}, until ${formatTime(offeredUntil, zone)}`}</span>`,
    },
  ],
  empty: () => showEmptyState(t`Nobody is waiting for a place.`),
})
