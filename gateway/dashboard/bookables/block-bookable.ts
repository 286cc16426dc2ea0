// The page that blocks a bookable for a time, with a reason, and unblocks it, by its own rule “closed”.

import { field, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { rulesSchema } from '../../../shared/rules/rules.ts'
import { integer, object, pathId, queryNumber, required, text } from '../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { html } from '../../http/html.ts'
import { parseRequestedTime, requestedTimeQuery } from '../bookings/requested-time.ts'
import { backPath, backQuery } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import { requireRules } from '../rules/queries.ts'
import { localDateTime } from '../time/fields.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { parseSpan } from '../time/spans.ts'
import { formatZone } from '../time/zones.ts'
import { form } from '../ui/forms.ts'
import { missingBookable } from './queries.ts'

const blockForm = object({
  from_time: required(localDateTime()),
  to_time: required(localDateTime()),
  reason: required(text({ max: 255, min: 1 })),
})
const PLACE = 'bookables'

export const blockBookable = page({
  path: '/places/bookables/{id}/block',
  title: sentence`Block for a time`,
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({ ...requestedTimeQuery, ...backQuery }),
  missing: missingBookable,
  actions: (action) => ({
    block: action(blockForm, async (call) => {
      const { id } = call.params
      const { name, zone, rules } = await requireRules(call.reads, PLACE, id)
      const { from, to } = parseSpan(call.form, { from: zone, to: zone })
      if (!from || !to) throw invalid({ to_time: [message`${field('to_time')} is required.`] })
      const closed = [...(rules.own.closed ?? []), { from, to, reason: call.form.reason }]
      await call.dispatch('bookables.set-rules', {
        id,
        version: call.version,
        rules: rulesSchema.cast({ ...rules.own, closed }),
      })
      return {
        redirectTo: call.link(backPath(call, `/places/bookables/${id}`)),
        notice: t`${name} is blocked at that time. Existing bookings stay.`,
      }
    }),
    unblock: action(
      object({ index: required(queryNumber(integer({ min: 0, max: 1_000 }))) }),
      async (call) => {
        const { id } = call.params
        const { rules } = await requireRules(call.reads, PLACE, id)
        const closed = (rules.own.closed ?? []).filter((_, index) => index !== call.form.index)
        await call.dispatch('bookables.set-rules', {
          id,
          version: call.version,
          rules: rulesSchema.cast({ ...rules.own, closed }),
        })
        return { redirectTo: call.linkHere(), notice: t`Unblocked. It can be booked again at that time.` }
      },
    ),
  }),
  async show(call) {
    const { id } = call.params
    const { name, zone, rules, version } = await requireRules(call.reads, PLACE, id)
    const requested = parseRequestedTime(call.query, zone, call.now)
    const hint = t`Time zone: ${formatZone(zone)}`
    const items = (rules.own.closed ?? []).map(({ from, to, reason }, index) => {
      const label = t`Unblock ${formatLocalDateTime(from, zone).replace('T', ' ')}`
      const options = {
        action: 'unblock',
        key: index,
        submit: t`Unblock`,
        submitLabel: label,
        tone: 'quiet',
        isInline: true,
      } as const
      return html`<li class="chosen"><span>${tHtml`${showInstant(from, zone)} to ${showEnd(from, to, zone)}`} <span class="soft">${reason}</span></span>
${form(call, { ...options, version, hidden: { index } })}</li>`
    })
    return {
      title: t`Block ${name} for a time`,
      breadcrumbs: [
        [t`Places`, '/places'],
        [name, `/places/bookables/${id}`],
      ],
      lead: t`Nobody can book it then. Existing bookings stay.`,
      content: html`<section class="card" aria-labelledby="block"><h2 id="block">${t`Block`}</h2><div class="narrow">${form(
        call,
        {
          action: 'block',
          submit: t`Block`,
          version,
          cancel: call.link(backPath(call, `/places/bookables/${id}`)),
        },
        (fields) => [
          fields.text({
            name: 'from_time',
            label: t`From`,
            type: 'datetime-local',
            value: requested.local.from,
            hint,
            required: true,
          }),
          fields.text({
            name: 'to_time',
            label: t`Until`,
            type: 'datetime-local',
            value: requested.local.to,
            hint,
            required: true,
          }),
          fields.text({ name: 'reason', label: t`Reason`, maxlength: 255, required: true }),
        ],
      )}</div></section>
${items.length > 0 && html`<section class="card" aria-labelledby="blocked"><h2 id="blocked">${t`Blocked times`}</h2><ul class="chosen-list">${items}</ul></section>`}`,
    }
  },
})
