// Cancels many bookings in one write. The form shows each booking with a checkbox, and cancels the checked
// bookings. Used on the page of the selected bookings and on a person's page (people/cancel-period.ts).
import { CANCELLATIONS_PER_WRITE_MAX } from '../../../../shared/bookings/bookings.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { notEmpty } from '../../../../shared/schemas/inputs.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { idList } from '../../pages/search/id-list.ts'
import { formatInstant, formatTimeBeside } from '../../pages/time/instants.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import { formatNumber, showLink } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { createNoticeWithAffected } from '../affected-bookings/affected-people.ts'
import { type BookingRow, listBookings } from './queries.ts'

export const cancelForm = object({ ids: notEmpty(idList(CANCELLATIONS_PER_WRITE_MAX)) })
export type CancellationCall = ActionCall<unknown, unknown, typeof cancelForm.__outputType>

/** Cancels the checked bookings. Returns a notice that says what was cancelled, what was kept, and whom to notify. */
export async function cancelCheckedBookings(call: CancellationCall) {
  const { deleted, ended, kept } = (await call.dispatch('bookings.cancel', { ids: call.form.ids })).data
  const stayed = plural(
    kept.length,
    '# booking was not changed, because it was over or already cancelled.',
    '# bookings were not changed, because they were over or already cancelled.',
  )
  const cancelled = plural(deleted + ended, '# booking cancelled.', '# bookings cancelled.')
  return createNoticeWithAffected(call, kept.length > 0 ? `${cancelled} ${stayed}` : cancelled)
}

/** Shows each booking with a checkbox. `isChecked` says which bookings are initially checked. */
export function showCancellationForm(
  call: Call,
  found: BookingRow[],
  { cancel, isChecked = () => true }: { cancel: string; isChecked?: (booking: BookingRow) => boolean },
): Html {
  const options = found.map((booking) => ({
    value: booking.id,
    label: t`${booking.bookable} for ${booking.user}`,
    hint: describeWhen(booking),
  }))
  const values = found.filter(isChecked).map(({ id }) => id)
  const intro = html`<p>${t`Current bookings end now, and later ones are cancelled. Others can book these times again.`}</p>`
  return showFormCard(
    call,
    { action: 'cancel', submit: t`Cancel bookings`, tone: 'danger', cancel, cancelLabel: t`Keep them` },
    (fields) => fields.checkboxes('ids', t`Bookings`, { options, values }),
    intro,
  )
}

function describeWhen({ from, to, zone, location, building }: BookingRow): string {
  const start = formatInstant(from, zone)
  const place = `${location}, ${building}`
  return to === null
    ? t`${start}, open-ended, ${place}`
    : t`${start} to ${formatTimeBeside(to, from, zone)}, ${place}`
}

const query = object({ ...backQuery, ids: idList(CANCELLATIONS_PER_WRITE_MAX) })

export const cancelSelectedBookingsPage = definePage({
  path: '/bookings/selected',
  title: sentence`Cancel bookings`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  actions: (action) => ({
    cancel: action(cancelForm, async (call) => {
      const notice = await cancelCheckedBookings(call)
      return { redirectTo: call.link(findBackPath(call, '/bookings')), ...notice }
    }),
  }),
  async show(call) {
    const list = call.link(findBackPath(call, '/bookings'))
    const found = await listUnfinishedBookings(call, call.query.ids)
    return {
      title:
        found.length === 0
          ? t`Nothing to cancel`
          : plural(found.length, 'Cancel # booking?', 'Cancel # bookings?'),
      breadcrumbs: [[t`Bookings`, findBackPath(call, '/bookings')]],
      content:
        found.length === 0 ? showNothingToCancel(list) : showCancellationForm(call, found, { cancel: list }),
    }
  },
})

/** Lists bookings by id. Leaves out past bookings. */
const listUnfinishedBookings = (call: Call, ids: number[]): Promise<BookingRow[]> =>
  listBookings(
    call.reads,
    `WHERE bookings.id = ANY($1) AND bookings.during && tstzrange($2, NULL) AND bookings.released_at IS NULL
     ORDER BY lower(bookings.during), bookings.id`,
    [ids, call.now],
  )

const showNothingToCancel = (list: string): Html =>
  showEmptyState(
    t`None of the selected bookings can be cancelled.`,
    html`${t`Up to ${formatNumber(CANCELLATIONS_PER_WRITE_MAX)} can be cancelled at once. Past bookings are not changed.`}
${showLink(list, t`Select bookings in the list`)}`,
  )
