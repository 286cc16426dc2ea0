// The page that blocks a bookable for a time, with a reason, and unblocks it, by its own rule “closed”.

import { field, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Closed } from '../../../shared/rules/closed.ts'
import { rulesSchema } from '../../../shared/rules/rules.ts'
import { integer, object, queryNumber, required, text } from '../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../http/html.ts'
import { parseRequestedTime, requestedTimeQuery } from '../bookings/requested-time.ts'
import { backPath, backQuery } from '../kit/back.ts'
import type { ActionCall, Call } from '../kit/page.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import { type RulesOfPlace, requireRules } from '../rules/queries.ts'
import { localDateTime, parseSpan } from '../time/fields.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { formatZone } from '../time/zones.ts'
import { form } from '../ui/forms.ts'
import { card } from '../ui/parts.ts'
import { bookablePages } from './bookable.ts'

const blockForm = object({
  from_time: required(localDateTime()),
  to_time: required(localDateTime()),
  reason: required(text({ max: 255, min: 1 })),
})
const unblockForm = object({ index: required(queryNumber(integer({ min: 0, max: 1_000 }))) })

type BookableCall = Call<{ id: number }>

export const blockBookable = bookablePages.page({
  path: '/block',
  title: sentence`Block for a time`,
  query: object({ ...requestedTimeQuery, ...backQuery }),
  actions: (action) => ({
    block: action(blockForm, async (call) => {
      const found = await findRules(call)
      const { name, zone } = found
      const { from, to } = parseSpan(call.form, { from: zone, to: zone })
      if (!from || !to) throw invalid({ to_time: [message`${field('to_time')} is required.`] })
      await setClosed(call, found, [...closedTimes(found), { from, to, reason: call.form.reason }])
      return {
        redirectTo: call.link(backPath(call, `/places/bookables/${call.params.id}`)),
        notice: t`${name} is blocked at that time. Existing bookings stay.`,
      }
    }),
    unblock: action(unblockForm, async (call) => {
      const found = await findRules(call)
      const others = closedTimes(found).filter((_, index) => index !== call.form.index)
      await setClosed(call, found, others)
      return { redirectTo: call.linkHere(), notice: t`Unblocked. It can be booked again at that time.` }
    }),
  }),
  async show(call, { id, name, zone }) {
    const found = await findRules(call)
    const { local } = parseRequestedTime(call.query, zone, call.now)
    const own = { type: 'datetime-local', hint: t`Time zone: ${formatZone(zone)}` } as const
    const items = closedTimes(found).map((closed, index) => showBlocked(call, found, closed, index))
    const cancel = call.link(backPath(call, `/places/bookables/${id}`))
    const options = { action: 'block', submit: t`Block`, version: found.version, cancel }
    return {
      title: t`Block ${name} for a time`,
      lead: t`Nobody can book it then. Existing bookings stay.`,
      content: html`${card(
        t`Block`,
        html`<div class="narrow">${form(call, options, (fields) => [
          fields.text('from_time', t`From`, { ...own, value: local.from }),
          fields.text('to_time', t`Until`, { ...own, value: local.to }),
          fields.text('reason', t`Reason`),
        ])}</div>`,
        'block',
      )}
${items.length > 0 && card(t`Blocked times`, html`<ul class="chosen-list">${items}</ul>`, 'blocked')}`,
    }
  },
})

const findRules = ({ reads, params }: BookableCall) => requireRules(reads, 'bookables', params.id)

const closedTimes = ({ rules }: RulesOfPlace): Closed[] => rules.own.closed ?? []

async function setClosed(call: ActionCall<{ id: number }>, { rules }: RulesOfPlace, closed: Closed[]) {
  const own = rulesSchema.cast({ ...rules.own, closed })
  await call.dispatch('bookables.set-rules', { id: call.params.id, version: call.version, rules: own })
}

function showBlocked(
  call: Call,
  { zone, version }: RulesOfPlace,
  { from, to, reason }: Closed,
  index: number,
): Html {
  const unblock = form(call, {
    action: 'unblock',
    key: index,
    submit: t`Unblock`,
    submitLabel: t`Unblock ${formatLocalDateTime(from, zone).replace('T', ' ')}`,
    tone: 'quiet',
    isInline: true,
    version,
    hidden: { index },
  })
  return html`<li class="chosen"><span>${tHtml`${showInstant(from, zone)} to ${showEnd(from, to, zone)}`} <span class="soft">${reason}</span></span>
${unblock}</li>`
}
