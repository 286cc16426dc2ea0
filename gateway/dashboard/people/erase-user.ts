// The page that erases a user for good. It first says what it would do.

import { describeObstacle, type ErasurePlan, erasurePlanSql } from '../../../shared/erasures/erase-user.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import type { Erasure } from '../../../shared/users/users.ts'
import { html } from '../../http/html.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { formatMessage, plural, sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { showFacts } from '../ui/parts.ts'
import { formatNumber } from '../ui/words.ts'
import { missingUser } from './queries.ts'

export const eraseUser = page({
  path: '/people/{id}/erase',
  title: sentence`Erase person`,
  section: 'People',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingUser,
  actions: (action) => ({
    erase: action(object({}), async (call) => {
      const { data } = await call.dispatch('users.erase', { id: call.params.id })
      return { redirectTo: call.link(backPath(call, '/people')), notice: describeErased(data) }
    }),
  }),
  async show(call) {
    const plan = await requirePlan(call)
    const back = keepBack(call, `/people/${call.params.id}`)
    const breadcrumbs: Array<[string, string]> = [
      [t`People`, backPath(call, '/people')],
      [plan.name, back],
    ]
    const obstacle = describeObstacle(plan)
    if (obstacle !== undefined)
      return {
        title: t`${plan.name} cannot be erased`,
        breadcrumbs,
        content: html`<div class="card narrow"><p>${formatMessage(obstacle)}</p>
<p>${showLink(call.link(back), t`Back`, { class: 'button quiet' })}</p></div>`,
      }
    return {
      breadcrumbs,
      ...confirmation(call, {
        question: t`Erase ${plan.name}?`,
        consequence: t`Their name, e-mail, license plates and all other personal data are deleted, also from the audit log. Past bookings still count but become anonymous. Files of imports and exports from before are deleted within half an hour. Also remove the person from your import file, or the next import adds them again. This cannot be undone.`,
        details: showFacts(erasureFacts(plan)),
        action: 'erase',
        submit: t`Erase`,
        cancel: call.link(back),
        cancelLabel: t`Keep the person`,
      }),
    }
  },
})

async function requirePlan(call: Call<{ id: number }>): Promise<ErasurePlan> {
  const { rows } = await call.reads.query<ErasurePlan>(erasurePlanSql({ user: '$1', now: '$2' }), [
    call.params.id,
    call.now,
  ])
  const [plan] = rows
  if (!plan) throw new Refusal('not_found', missingUser)
  return plan
}

function erasureFacts(plan: Erasure): Array<[string, string]> {
  const facts: Array<[string, number]> = [
    [t`Upcoming bookings, cancelled`, plan.cancelledBookings],
    [t`Current bookings, ended now`, plan.endedBookings],
    [t`Bookings made anonymous`, plan.anonymousBookings],
    [t`Upcoming events they organize, cancelled`, plan.cancelledEvents],
    [t`Events made anonymous`, plan.anonymousEvents],
    [t`Removed from events of others`, plan.attendances],
    [t`Assignments ended`, plan.assignments],
    [t`Vehicles, deleted`, plan.vehicles],
  ]
  return facts.map(([name, number]) => [name, formatNumber(number)])
}

function describeErased({ cancelledBookings, cancelledEvents }: Erasure): string {
  const bookings = plural(cancelledBookings, '# upcoming booking', '# upcoming bookings')
  const events = plural(cancelledEvents, '# event', '# events')
  return t`Person erased; ${bookings} and ${events} cancelled.`
}
