// The pages that release the bookings of one deactivated user, or of all of them. An accepted job releases
// many bookings in pieces.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { keepBack } from '../kit/back.ts'
import type { ActionCall, ActionResult } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { formPage } from '../ui/declared-pages.ts'
import { formatNumber } from '../ui/parts.ts'
import { findHolder } from './deactivate-user.ts'
import { countDeactivatedHolders } from './deactivated-users.ts'
import { toDeactivated } from './release-progress.ts'
import { countFutureBookings, userPages } from './user.ts'

// Up to this many bookings are released while the user waits.
const AT_ONCE_MAX = 500

const asked = {
  action: 'release',
  tone: 'danger',
  cancelLabel: sentence`Keep them`,
  intro: () =>
    t`Upcoming bookings are deleted, and current ones end now. Others can book these times right away. This cannot be undone.`,
} as const

export const releaseAllBookings = formPage({
  ...asked,
  path: '/people/deactivated/release',
  title: sentence`Release all bookings of deactivated people`,
  section: 'People',
  find: (call) => countDeactivatedHolders(call.reads, call.now),
  breadcrumbs: toDeactivated,
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
    return release(call, bookings, {}, '/people/deactivated')
  },
})

export const releaseUserBookings = userPages.form({
  ...asked,
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
    return release(call, bookings, { user_ids: [id] }, keepBack(call, `/people/${id}`))
  },
})

async function release(
  call: ActionCall,
  expected: number,
  input: InputOf<'bookings.release'>,
  back: string,
): Promise<ActionResult> {
  if (expected > AT_ONCE_MAX) {
    const { id } = await call.accept('bookings.release-all', { ...input, expected })
    return { redirectTo: call.link(`/people/releases/${id}`) }
  }
  const { deleted, ended } = (await call.dispatch('bookings.release', input)).data
  const notice =
    deleted + ended === 0
      ? t`There was nothing to release.`
      : t`Bookings released: ${formatNumber(deleted)} deleted, ${formatNumber(ended)} ended now.`
  return { redirectTo: call.link(back), notice }
}
