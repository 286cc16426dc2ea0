// The page of bookings that were refused in the last thirty days: who wanted which place, and why the booking was
// refused.
import type { Message } from '../../../../shared/messages/message.ts'
import { type Html, html } from '../../../html/html.ts'
import {
  BOOKED_PLACE_COLUMNS,
  column,
  createSpanColumns,
  instantColumn,
  JOIN_PLACES,
  nullableColumn,
  numberColumn,
  type RowOf,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside, showRelativeInstant } from '../../pages/time/instants.ts'
import { toLocalTimeRange } from '../../pages/time/requested-time.ts'
import { type Column, showLink, showLinkOrText, showTable } from '../../pages/ui/parts.ts'

const SHOWN_BOOKINGS_MAX = 20
// How long refused bookings are shown. Upkeep deletes them a little later.
const SHOWN_INTERVAL = "interval '30 days'"

const REFUSED_COLUMNS = {
  ...BOOKED_PLACE_COLUMNS,
  ...createSpanColumns('refused_bookings'),
  to: nullableColumn(createSpanColumns('refused_bookings').to),
  at: instantColumn('refused_bookings.at'),
  detail: column<Message>('refused_bookings.detail'),
  userId: numberColumn('users.id'),
  user: textColumn('users.name'),
  asker: nullableColumn(textColumn('coalesce(tokens.name, admins.email)')),
}
type RefusedBooking = RowOf<typeof REFUSED_COLUMNS>

/** Shows the latest refused bookings of a person or bookable, or nothing if there are none. */
export async function showRefusedBookings(
  call: Call,
  { user, bookable }: { user?: number; bookable?: number },
): Promise<Html | false> {
  const [column, id] = user === undefined ? ['bookable_id', bookable] : ['user_id', user]
  const refused = await selectRows(
    call.reads,
    REFUSED_COLUMNS,
    `refused_bookings JOIN users ON users.id = refused_bookings.user_id
     JOIN bookables ON bookables.id = refused_bookings.bookable_id ${JOIN_PLACES}
     LEFT JOIN tokens ON actor_type = 'token' AND tokens.id = actor_id
     LEFT JOIN admins ON actor_type = 'admin' AND admins.id = actor_id
     WHERE refused_bookings.${column} = $1 AND refused_bookings.at > CAST($2 AS timestamptz) - ${SHOWN_INTERVAL}
     ORDER BY refused_bookings.at DESC, refused_bookings.id DESC LIMIT ${SHOWN_BOOKINGS_MAX}`,
    [id, call.now],
  )
  if (refused.length === 0) return false
  const subject: Column<RefusedBooking> =
    user === undefined
      ? { label: t`Person`, show: (row) => showLinkOrText(call.link(`/people/${row.userId}`), row.user) }
      : {
          label: t`Desk or room`,
          show: (row) => showLinkOrText(call.link(`/places/bookables/${row.bookableId}`), row.bookable),
        }
  const columns = [subject, ...createColumns(call)]
  return html`<section aria-labelledby="refused"><div class="head"><h2 id="refused">${t`Refused bookings`}</h2></div>
${showTable(t`Refused bookings`, columns, refused, '')}
<p class="soft">${t`The latest ${SHOWN_BOOKINGS_MAX} from the last 30 days.`}</p></section>`
}

const createColumns = (call: Call): Column<RefusedBooking>[] => [
  { label: t`Requested time`, show: ({ from, to, zone }) => formatWanted(from, to, zone) },
  { label: t`Refused because`, isWide: true, show: ({ detail }) => formatMessage(detail) },
  {
    label: t`Requested on`,
    isShort: true,
    show: ({ at, asker }) =>
      html`${showRelativeInstant(at, call.now)}${asker !== null && html` <span class="soft">${t`by ${asker}`}</span>`}`,
  },
  {
    label: t`Test a booking`,
    isTools: true,
    show(row) {
      const { userId: user, bookableId: bookable, user: name, bookable: place } = row
      const time =
        row.to !== null && row.from > call.now ? toLocalTimeRange({ ...row, to: row.to }, row.zone) : {}
      return showLink(call.link('/bookings/test', { user, bookable, ...time }), t`Test now`, {
        'aria-label': t`Test now whether ${name} can book ${place}`,
      })
    },
  },
]

function formatWanted(from: string, to: string | null, zone: string): string {
  const start = formatDayAndTime(from, zone)
  return to === null ? t`${start}, open-ended` : `${start} – ${formatTimeBeside(to, from, zone)}`
}
