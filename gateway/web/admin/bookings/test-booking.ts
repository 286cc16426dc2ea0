// Tests whether a person can book a place, and lists each rule that forbids the booking, with a link to the
// rule's page. Does not book anything.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { isAfterField } from '../../../../shared/schemas/inputs.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, sentence, t } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import { type ActionCall, type Call, definePage, type PageView } from '../../pages/page/page.ts'
import {
  type BookableChoice,
  CHOICES_MAX,
  searchBookables,
  showChosenUser,
  showExceptionalStatus,
  showUserChooser,
  type UserChoice,
} from '../../pages/search/choices.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { parseRequestedTime, requestedTimeQuery } from '../../pages/time/requested-time.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import { form, showSearchForm } from '../../pages/ui/forms.ts'
import { showCard, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { showBrokenRules } from '../rules/rules-pages.ts'
import { findUserAndBookable, showChosenBookable } from './choose-bookable.ts'
import { explainConflicts } from './conflicts.ts'

const query = object({
  ...backQuery,
  ...requestedTimeQuery,
  person: text({ max: 255 }),
  place: text({ max: 255 }),
  user: queryId(),
  bookable: queryId(),
})
type TestCall = Call<unknown, typeof query.__outputType>

const testForm = object({
  from_time: required(localDateTime()),
  to_time: required(localDateTime()).test(...isAfterField('from_time')),
})
type ChosenPair = { user: UserChoice; bookable: BookableChoice }

export const testBookingPage = definePage({
  path: '/bookings/test',
  title: sentence`Test a booking`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  actions: (action) => ({
    test: action(testForm, async (call) => {
      const { user, bookable } = await findUserAndBookable(call)
      if (!user || !bookable)
        throw invalidFields({ person: [message`First choose a person and what to book.`] })
      const result = await testBooking(call, call.form, { user, bookable })
      return { show: await showPage(call, call.form, result) }
    }),
  }),
  show: (call) => showPage(call),
})

async function testBooking(
  call: ActionCall,
  typed: typeof testForm.__outputType,
  { user, bookable }: ChosenPair,
): Promise<Html> {
  const { id: bookable_id, locationId: location_id, name, zone } = bookable
  const { from = call.now, to = call.now } = parseSpan(typed, { from: zone, to: zone })
  const input = { bookable_id, location_id, user_id: user.id, from_time: from, to_time: to }
  try {
    await explainConflicts(call, { bookableIds: [bookable_id], from, to }, {}, () =>
      call.dispatch('bookings.try', input),
    )
    return showNotice('good', t`${user.name} can book ${name} at this time.`)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    const broken = (error.members['broken_rules'] ?? []) as string[]
    const rules = broken.length > 0 && (await showBrokenRules(call, bookable_id, broken, { from, to }))
    return showNotice(
      'bad',
      t`${user.name} cannot book ${name} at this time.`,
      html`<p>${formatMessage(error.detail)}</p>${rules}`,
    )
  }
}

async function showPage(
  call: TestCall,
  typed?: typeof testForm.__outputType,
  result?: Html,
): Promise<PageView> {
  const { user, bookable } = await findUserAndBookable(call)
  const cancel = findBackPath(call, user ? `/people/${user.id}` : '/bookings')
  return {
    breadcrumbs: [[t`Bookings`, '/bookings']],
    lead: t`This tests a booking without making it. You see the answer that the person would get.`,
    content: html`${result}
${showCard(t`Person`, user ? showChosenUser(call, user) : await showUserChooser(call, { label: t`Name or e-mail` }), 'who')}
${showCard(t`Desk, room or parking spot`, bookable ? await showChosenBookable(call, bookable, parseRequestedTime(call.query, bookable.zone, call.now)) : await showBookableChooser(call), 'what')}
${user && bookable && showCard(t`Time`, showTimesForm(call, bookable, { typed, cancel: call.link(cancel) }), 'when')}`,
  }
}

type TimesForm = { typed: typeof testForm.__outputType | undefined; cancel: string }

function showTimesForm(call: TestCall, { zone }: BookableChoice, { typed, cancel }: TimesForm): Html {
  const { local } = parseRequestedTime(call.query, zone, call.now)
  const hint = t`Time zone: ${formatZone(zone)}`
  return html`<div class="narrow">${form(call, { action: 'test', submit: t`Test`, cancel }, (fields) => [
    fields.time('from_time', t`From`, { value: typed?.from_time ?? local.from, hint }),
    fields.time('to_time', t`Until`, { value: typed?.to_time ?? local.to, hint }),
  ])}</div>`
}

async function showBookableChooser(call: TestCall): Promise<Html> {
  const { place } = call.query
  const box = showSearchForm(call, t`Search`, (fields) =>
    fields.search('place', t`Name, floor or building`, { required: true }),
  )
  if (place === undefined) return box
  const found = await searchBookables(call.reads, place)
  const columns = [
    { label: t`Name`, show: (each: BookableChoice) => html`${each.name} ${showExceptionalStatus(each)}` },
    { label: t`Type`, show: ({ type }: BookableChoice) => formatBookableType(type) },
    { label: t`Floor`, show: ({ location, building }: BookableChoice) => `${location}, ${building}` },
    {
      label: t`Choose`,
      isTools: true,
      show: ({ id, name }: BookableChoice) =>
        showLinkOrText(call.linkHere({ bookable: id, place: null }), t`Choose`, {
          'aria-label': t`Choose ${name}`,
        }),
    },
  ]
  return html`${box}<div class="found">${showTable(t`Results`, columns, found.slice(0, CHOICES_MAX), t`No matches.`)}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</div>`
}
