// The pages that deactivate a user or erase one for good. They first say what would happen.

import { describeObstacle, type ErasurePlan, erasurePlanSql } from '../../../shared/erasures/erase-user.ts'
import { object } from '../../../shared/schemas/fields.ts'
import type { Erasure } from '../../../shared/users/users.ts'
import { html } from '../../http/html.ts'
import { backPath } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { formatMessage, plural, sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { formatNumber, showFacts, showLink } from '../ui/parts.ts'
import { requireRow } from '../ui/rows.ts'
import { missingUser } from './queries.ts'
import { countFutureBookings, describeKeptAssignments, listAssignedBookables, userPages } from './user.ts'

/** The user, how many current and upcoming bookings they have, and what is assigned to them. */
export async function findHolder(call: Call<{ id: number }>) {
  const { id } = call.params
  const [user, bookings, assigned] = await Promise.all([
    userPages.require(call),
    countFutureBookings(call.reads, id, call.now),
    listAssignedBookables(call.reads, id),
  ])
  return { ...user, bookings, assigned }
}

export const deactivateUser = userPages.form({
  path: '/deactivate',
  title: sentence`Deactivate person`,
  find: findHolder,
  action: 'deactivate',
  submit: sentence`Deactivate`,
  tone: 'danger',
  cancelLabel: sentence`Keep them active`,
  heading: ({ name }) => t`Deactivate ${name}?`,
  intro: ({ bookings, assigned }) =>
    [
      t`They can no longer book, and the API no longer lists them.`,
      describeBookings(bookings),
      describeKeptAssignments(assigned),
      t`You can restore them later.`,
    ]
      .filter(Boolean)
      .join(' '),
  async act(call) {
    await call.dispatch('users.deactivate', { ids: [call.params.id] })
    return { redirectTo: userPages.address(call), notice: t`Person deactivated.` }
  },
})

function describeBookings(bookings: number): string {
  if (bookings === 0) return t`They have no current or upcoming bookings.`
  if (bookings === 1) return t`Their booking stays until it is released.`
  return plural(
    bookings,
    'Their # booking stays until it is released.',
    'Their # bookings stay until they are released.',
  )
}

export const eraseUser = userPages.page({
  path: '/erase',
  title: sentence`Erase person`,
  actions: (action) => ({
    erase: action(object({}), async (call) => {
      const { data } = await call.dispatch('users.erase', { id: call.params.id })
      return { redirectTo: call.link(backPath(call, '/people')), notice: describeErased(data) }
    }),
  }),
  async show(call, { name }) {
    const sql = erasurePlanSql({ user: '$1', now: '$2' })
    const plan = await requireRow<ErasurePlan>(missingUser, call.reads, sql, [call.params.id, call.now])
    const cancel = userPages.address(call)
    const obstacle = describeObstacle(plan)
    if (obstacle !== undefined)
      return {
        title: t`${name} cannot be erased`,
        content: html`<div class="card narrow"><p>${formatMessage(obstacle)}</p>
<p>${showLink(cancel, t`Back`, { class: 'button quiet' })}</p></div>`,
      }
    return confirmation(call, {
      question: t`Erase ${name}?`,
      consequence: t`Their name, e-mail, license plates and all other personal data are deleted, also from the audit log. Past bookings still count but become anonymous. Files of imports and exports from before are deleted within half an hour. Also remove the person from your import file, or the next import adds them again. This cannot be undone.`,
      details: showFacts(erasureFacts(plan)),
      action: 'erase',
      submit: t`Erase`,
      cancel,
      cancelLabel: t`Keep the person`,
    })
  },
})

const erasureFacts = (plan: Erasure): Array<[string, string]> => [
  [t`Upcoming bookings, cancelled`, formatNumber(plan.cancelledBookings)],
  [t`Current bookings, ended now`, formatNumber(plan.endedBookings)],
  [t`Bookings made anonymous`, formatNumber(plan.anonymousBookings)],
  [t`Upcoming events they organize, cancelled`, formatNumber(plan.cancelledEvents)],
  [t`Events made anonymous`, formatNumber(plan.anonymousEvents)],
  [t`Removed from events of others`, formatNumber(plan.attendances)],
  [t`Assignments ended`, formatNumber(plan.assignments)],
  [t`Vehicles, deleted`, formatNumber(plan.vehicles)],
]

function describeErased({ cancelledBookings, cancelledEvents }: Erasure): string {
  const bookings = plural(cancelledBookings, '# upcoming booking', '# upcoming bookings')
  const events = plural(cancelledEvents, '# event', '# events')
  return t`Person erased; ${bookings} and ${events} cancelled.`
}
