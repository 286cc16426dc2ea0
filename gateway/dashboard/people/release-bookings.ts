// The pages that release the bookings of one deactivated user, or of all of them. An accepted job releases
// many bookings in pieces.

import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { backQuery, keepBack } from '../kit/back.ts'
import { type ActionCall, type ActionResult, page } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { formatNumber } from '../ui/words.ts'
import { userConfirmation } from './confirmation.ts'
import { missingUser } from './queries.ts'
import { countDeactivatedHolders, countFutureBookings } from './user-bookings.ts'

// Up to this many bookings are released while the user waits.
const AT_ONCE_MAX = 500

const asked = () => ({
  consequence: t`Upcoming bookings are deleted, and current ones end now. Others can book these times right away. This cannot be undone.`,
  action: 'release',
  cancelLabel: t`Keep them`,
})

export const releaseAllBookings = page({
  path: '/people/deactivated/release',
  title: sentence`Release all bookings of deactivated people`,
  section: 'People',
  actions: (action) => ({
    release: action(object({}), async (call) => {
      const { bookings } = await countDeactivatedHolders(call.services.primary, call.now)
      return release(call, bookings, {}, '/people/deactivated')
    }),
  }),
  async show(call) {
    const { bookings } = await countDeactivatedHolders(call.reads, call.now)
    return {
      breadcrumbs: [
        [t`People`, '/people'],
        [t`Deactivated`, '/people/deactivated'],
      ],
      ...confirmation(call, {
        ...asked(),
        question:
          bookings === 0
            ? t`Release the bookings of deactivated people?`
            : plural(
                bookings,
                'Release # booking of deactivated people?',
                'Release # bookings of deactivated people?',
              ),
        submit: t`Release all`,
        cancel: call.link('/people/deactivated'),
      }),
    }
  },
})

export const releaseUserBookings = page({
  path: '/people/{id}/release',
  title: sentence`Release bookings`,
  section: 'People',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingUser,
  actions: (action) => ({
    release: action(object({}), async (call) => {
      const { id } = call.params
      const bookings = await countFutureBookings(call.services.primary, id, call.now)
      return release(call, bookings, { user_ids: [id] }, keepBack(call, `/people/${id}`))
    }),
  }),
  show: (call) =>
    userConfirmation(call, (name, bookings) => ({
      ...asked(),
      question:
        bookings === 0
          ? t`Release the bookings of ${name}?`
          : plural(bookings, 'Release # booking of {0}?', 'Release # bookings of {0}?', name),
      submit: t`Release`,
    })),
})

async function release(
  call: ActionCall,
  expected: number,
  input: InputOf<'bookings.release'>,
  back: string,
): Promise<ActionResult> {
  if (expected <= AT_ONCE_MAX)
    return {
      notice: describeReleased(await call.dispatch('bookings.release', input)),
      redirectTo: call.link(back),
    }
  const { id } = await call.accept('bookings.release-all', { ...input, expected })
  return { redirectTo: call.link(`/people/releases/${id}`) }
}

function describeReleased({ data: { deleted, ended } }: ReplyOf<'bookings.release'>): string {
  if (deleted + ended === 0) return t`There was nothing to release.`
  return t`Bookings released: ${formatNumber(deleted)} deleted, ${formatNumber(ended)} ended now.`
}
