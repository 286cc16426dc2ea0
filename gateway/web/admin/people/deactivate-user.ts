// The pages that deactivate a user, erase a user permanently, or release the bookings of one or all
// deactivated users. The pages first say what would happen. If there are many bookings, an accepted job
// releases them in batches.
import { describeObstacle, type ErasurePlan, erasurePlanSql } from '../../../../shared/erasures/erase-user.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import type { Erasure } from '../../../../shared/users/users.ts'
import { html } from '../../../html/html.ts'
import { requireRow } from '../../../reads/rows/rows.ts'
import { formatMessage, plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { addReturnPath, findBackPath } from '../../pages/page/back.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { defineFormPage } from '../../pages/ui/declared-pages.ts'
import { showConfirmation } from '../../pages/ui/forms.ts'
import { formatNumber, showFactList, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { countDeactivatedHolders } from './deactivated-users.ts'
import { countDuties } from './hand-over.ts'
import { missingUser } from './queries.ts'
import { createDeactivatedBreadcrumbs } from './release-progress.ts'
import { userPages } from './user.ts'
import { countFutureBookings, describeKeptAssignments, listAssignedBookables } from './user-bookings.ts'

async function findHolder(call: Call<{ id: number }>) {
  const { id } = call.params
  const [user, duties, bookings, assigned] = await Promise.all([
    userPages.require(call),
    countDuties(call, id),
    countFutureBookings(call.reads, id, call.now),
    listAssignedBookables(call.reads, id),
  ])
  return { ...user, duties, bookings, assigned }
}

export const deactivateUserPage = userPages.form({
  path: '/deactivate',
  title: sentence`Deactivate person`,
  find: findHolder,
  action: 'deactivate',
  submit: sentence`Deactivate`,
  tone: 'danger',
  cancelLabel: sentence`Keep them active`,
  heading: ({ name }) => t`Deactivate ${name}?`,
  intro: ({ id, bookings, assigned, duties }, call) => [
    duties > 0 && showNotice('warn', showHandOver(call, id)),
    [
      t`They can no longer book, and the API no longer lists them.`,
      describeBookings(bookings),
      describeKeptAssignments(assigned),
      t`You can restore them later.`,
    ]
      .filter(Boolean)
      .join(' '),
  ],
  async act(call) {
    await call.dispatch('users.deactivate', { ids: [call.params.id] })
    return { redirectTo: userPages.address(call), notice: t`Person deactivated.` }
  },
})

const showHandOver = (call: Call, id: number) =>
  tHtml`Meetings, approvals, desks or rooms still depend on this person. ${showLinkOrText(call.link(`/people/${id}/hand-over`), t`Hand them over first`)}`

function describeBookings(bookings: number): string {
  if (bookings === 0) return t`They have no current or upcoming bookings.`
  if (bookings === 1) return t`Their booking stays until it is released.`
  return plural(
    bookings,
    'Their # booking stays until it is released.',
    'Their # bookings stay until they are released.',
  )
}

export const eraseUserPage = userPages.page({
  path: '/erase',
  title: sentence`Erase person`,
  actions: (action) => ({
    erase: action(object({}), async (call) => {
      const { data } = await call.dispatch('users.erase', { id: call.params.id })
      return { redirectTo: call.link(findBackPath(call, '/people')), notice: describeErased(data) }
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
    return showConfirmation(call, {
      question: t`Erase ${name}?`,
      consequence: t`Their name, e-mail, license plates and all other personal data are deleted, also from the audit log. Past bookings still count but become anonymous. Earlier import and export files are deleted within half an hour. Also remove the person from your import file, or the next import adds them again. This cannot be undone.`,
      details: showFactList(listErasureFacts(plan)),
      action: 'erase',
      submit: t`Erase`,
      cancel,
      cancelLabel: t`Keep the person`,
    })
  },
})

const listErasureFacts = (plan: Erasure): Array<[string, string]> => [
  [t`Upcoming bookings, cancelled`, formatNumber(plan.cancelledBookings)],
  [t`Current bookings, ended now`, formatNumber(plan.endedBookings)],
  [t`Bookings anonymized`, formatNumber(plan.anonymousBookings)],
  [t`Upcoming meetings they organize, cancelled`, formatNumber(plan.cancelledEvents)],
  [t`Meetings anonymized`, formatNumber(plan.anonymousEvents)],
  [t`Other people’s meetings that lose this attendee`, formatNumber(plan.attendances)],
  [t`Assignments ended`, formatNumber(plan.assignments)],
  [t`Vehicles, deleted`, formatNumber(plan.vehicles)],
]

function describeErased({ cancelledBookings, cancelledEvents }: Erasure): string {
  const bookings = plural(cancelledBookings, '# upcoming booking', '# upcoming bookings')
  const events = plural(cancelledEvents, '# meeting', '# meetings')
  return t`Person erased; ${bookings} and ${events} cancelled.`
}

// The maximum number of bookings that are released while the user waits.
const RELEASED_AT_ONCE_MAX = 500

const confirmationOptions = {
  action: 'release',
  tone: 'danger',
  cancelLabel: sentence`Keep them`,
  intro: () =>
    t`Upcoming bookings are deleted, and current ones end now. Others can book these times right away. This cannot be undone.`,
} as const

export const releaseAllBookingsPage = defineFormPage({
  ...confirmationOptions,
  path: '/people/deactivated/release',
  title: sentence`Release all bookings of deactivated people`,
  section: 'People',
  find: (call) => countDeactivatedHolders(call.reads, call.now),
  breadcrumbs: createDeactivatedBreadcrumbs,
  heading: ({ bookings }) =>
    bookings === 0
      ? t`Release the bookings of deactivated people?`
      : plural(
          bookings,
          'Release # booking of deactivated people?',
          'Release # bookings of deactivated people?',
        ),
  submit: sentence`Release all`,
  async act(call) {
    const { bookings } = await countDeactivatedHolders(call.services.primary, call.now)
    return releaseBookings(call, bookings, {}, '/people/deactivated')
  },
})

export const releaseUserBookingsPage = userPages.form({
  ...confirmationOptions,
  path: '/release',
  title: sentence`Release bookings`,
  find: findHolder,
  heading: ({ name, bookings }) =>
    bookings === 0
      ? t`Release the bookings of ${name}?`
      : plural(bookings, 'Release # booking of {0}?', 'Release # bookings of {0}?', name),
  submit: sentence`Release`,
  async act(call) {
    const { id } = call.params
    const bookings = await countFutureBookings(call.services.primary, id, call.now)
    return releaseBookings(call, bookings, { user_ids: [id] }, addReturnPath(call, `/people/${id}`))
  },
})

async function releaseBookings(
  call: ActionCall,
  expected: number,
  input: InputOf<'bookings.release'>,
  back: string,
) {
  if (expected > RELEASED_AT_ONCE_MAX) {
    const { id } = await call.accept('bookings.release-all', { ...input, expected })
    return { redirectTo: call.link(`/people/releases/${id}`) }
  }
  const { deleted, ended } = (await call.dispatch('bookings.release', input)).data
  const notice =
    deleted + ended === 0
      ? t`There were no bookings to release.`
      : t`Bookings released: ${formatNumber(deleted)} deleted, ${formatNumber(ended)} ended now.`
  return { redirectTo: call.link(back), notice }
}
