// “Close for a time…”: closes a place in three steps: the time, what should happen to the bookings, and the people to
// notify. The address contains the time, so that the browser's back button leads to the previous step.
import type { ClosedTimes } from '../../../../shared/rules/closed-times.ts'
import type { RulePlace } from '../../../../shared/rules/rules-shape.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { ActionCall, Call, Page, PageView } from '../../pages/page/page.ts'
import { localDate, localTime } from '../../pages/time/fields.ts'
import { formatZone } from '../../pages/time/zones.ts'
import type { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { linkToBookingsDuring } from './closed-bookings.ts'
import { addClosedTimes, formatClosedTimes, parseClosedTimesRow } from './closed-rows.ts'
import { type RulesOfPlace, requireRules } from './queries.ts'

const timeForm = object({
  from: required(localDate()),
  from_time: localTime(),
  to: localDate(),
  to_time: localTime(),
  reason: required(text({ max: 255, min: 1 })),
})
const timeQuery = object({
  from: text({ max: 10 }),
  from_time: text({ max: 5 }),
  to: text({ max: 10 }),
  to_time: text({ max: 5 }),
  reason: text({ max: 255 }),
})
type TimeQuery = typeof timeQuery.__outputType
type CloseCall = Call<{ id: number }, TimeQuery>

const STEPS: Sentence[] = [sentence`When`, sentence`Bookings at that time`, sentence`People to notify`]

export function defineClosePage<Found>(
  { page, address }: Pick<ReturnType<typeof defineResourcePages<Found>>, 'page' | 'address'>,
  place: RulePlace,
): Page {
  return page({
    path: '/close',
    title: sentence`Close for a time`,
    query: timeQuery,
    actions: (action) => ({
      choose: action(timeForm, async (call) => {
        const found = await requireRules(call.reads, place, call.params.id)
        addClosedTimes(found, parseClosedTimesRow(toRow(call.form), found.zone))
        return { redirectTo: call.linkHere(toRow(call.form)) }
      }),
      close: action(object(affectedForm.affectedBookingsFormFields), async (call) => {
        const found = await requireRules(call.reads, place, call.params.id)
        return closePlace(call, place, found, address(call, '/rules'))
      }),
    }),
    async show(call) {
      const found = await requireRules(call.reads, place, call.params.id)
      const closed = readTime(call.query, found.zone)
      return closed ? askAboutBookings(call, place, found, closed) : askWhen(call, found, address(call, ''))
    },
  })
}

const toRow = (values: TimeQuery): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])))

/** Returns the time in the address, or undefined if it is missing or invalid. */
function readTime(query: TimeQuery, zone: string): ClosedTimes | undefined {
  if (!timeForm.isValidSync(query)) return undefined
  try {
    return parseClosedTimesRow(toRow(query), zone)
  } catch {
    return undefined
  }
}

function askWhen(call: CloseCall, { name, zone }: RulesOfPlace, cancel: string): PageView {
  const intro = showSteps(0)
  const options = { action: 'choose', submit: t`Next`, values: call.query, cancel }
  const hint = t`Leave the times empty to close for whole days.`
  return {
    title: t`Close ${name}`,
    lead: t`Nobody can book anything there during that time. Times are in ${formatZone(zone)}.`,
    content: showFormCard(
      call,
      options,
      (fields) => html`<div class="pair">${fields.text('from', t`First day`, { type: 'date' })}
${fields.text('to', t`Last day`, { type: 'date', emptyWhen: t`if more than one day` })}
${fields.text('from_time', t`From`, { type: 'time' })}${fields.text('to_time', t`Until`, { type: 'time' })}</div>
<p class="hint">${hint}</p>${fields.text('reason', t`Reason`, { hint: t`People who cannot book see this reason.` })}`,
      intro,
    ),
  }
}

async function askAboutBookings(
  call: CloseCall,
  place: RulePlace,
  { name, zone, version }: RulesOfPlace,
  closed: ClosedTimes,
): Promise<PageView> {
  const ids = await affectedForm.listBookablesOfPlaces(call.reads, place, [call.params.id])
  const resolution = await affectedForm.showResolutionOptions(
    call,
    { ids, times: [closed] },
    { canLeave: true },
  )
  const options = {
    action: 'close',
    submit: t`Close`,
    version,
    cancel: call.linkHere({ from: null, from_time: null, to: null, to_time: null }),
    cancelLabel: t`Change the time`,
  }
  const intro = html`${showSteps(1)}<p><strong>${formatClosedTimes(closed, zone)}</strong></p>`
  return {
    title: t`Close ${name}`,
    content: showFormCard(
      call,
      options,
      (fields): Content => resolution?.(fields) ?? html`<p>${t`There are no bookings at that time.`}</p>`,
      intro,
    ),
  }
}

type Closing = ActionCall<{ id: number }, TimeQuery, affectedForm.ResolutionCall['form']>

/** Closes the place. Leads to the people to notify or, if nobody is affected, back to the rules of the place. */
async function closePlace(call: Closing, place: RulePlace, found: RulesOfPlace, rulesPath: string) {
  const closed = readTime(call.query, found.zone)
  if (!closed) return { redirectTo: call.linkHere() }
  const rules = addClosedTimes(found, closed)
  const asked = { version: call.version, ...affectedForm.readResolution(call) }
  await call.dispatch(`${place}.set-rules`, { id: call.params.id, ...asked, rules })
  const notice = t`${found.name} is closed at that time.`
  const bookings = linkToBookingsDuring([closed], found.zone, found)
  const result = await affectedForm.redirectAfterResolving(call, rulesPath, notice, bookings)
  const toNotify = 'more' in result && result.more?.path.startsWith('/bookings/affected/') && result.more.path
  return toNotify ? { redirectTo: call.link(toNotify), notice } : result
}

function showSteps(current: number): Html {
  return html`<ol class="stages" aria-label="${t`Steps`}">${STEPS.map(
    (label, index) =>
      html`<li${index === current && html` aria-current="step"`}>${index + 1}. ${translate(label)}</li>`,
  )}</ol>`
}
