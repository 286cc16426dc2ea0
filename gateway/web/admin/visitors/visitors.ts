// The Visitors page for the front desk: which visitors are expected, where and by whom, who has arrived, and
// whether the host knows.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { canMail } from '../../pages/page/can-mail.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { listBuildingChoices, showBuildingFilter } from '../../pages/search/choices.ts'
import { chooseZone } from '../../pages/search/day-search.ts'
import { describeSeat } from '../../pages/search/seats.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate, formatTimeBeside } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form, showFilterBar } from '../../pages/ui/forms.ts'
import { type Column, showCard, showLink, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { findVisitor, findVisits, VISITS_MAX, type VisitorRow } from './queries.ts'
import { recordWalkIn, showWalkInForm, walkInForm } from './walk-ins.ts'

const REFRESH_SECONDS = 10
const FORM_ID = 'arrivals'

const query = object({ date: localDate(), building: queryId(), search: text({ max: 255 }) })
type VisitorsCall = Call<unknown, typeof query.__outputType>

/** Matches the name of a button: its action and its visitor, such as `arrive-a7`. */
const BUTTON_PATTERN = /^(arrive|arrive-mail|told|mail|undo)-([abw])(\d{1,15})$/
const VISIT_ID_FIELDS: Record<string, string> = { a: 'attendee_id', b: 'booking_id', w: 'arrival_id' }
const arrivalForm = object({ change: required(text({ max: 40 })) })

export const visitorsPage = definePage({
  path: '/visitors',
  title: sentence`Visitors`,
  section: 'Visitors',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  actions: (action) => ({
    record: action(arrivalForm, async (call) => ({
      redirectTo: call.linkHere(),
      notice: await recordVisit(call, call.form.change),
    })),
    'walk-in': action(walkInForm, async (call) => ({
      redirectTo: call.linkHere(),
      notice: await recordWalkIn(call),
    })),
  }),
  live: {
    visits: {
      everySeconds: REFRESH_SECONDS,
      show: async (call) => showVisits(call, await findVisitorsDay(call)),
    },
  },
  async show(call) {
    const { buildings, date, today } = await findVisitorsDay(call)
    const fieldsOf = (fields: Fields) => [
      fields.search('search', t`Visitor, host or meeting`),
      showBuildingFilter(fields, buildings),
      fields.text('date', t`Day`, { type: 'date', value: date }),
    ]
    return {
      lead: formatDate(date, 'full'),
      content: html`${showFilterBar(call, fieldsOf, showDayLinks(call, date, today))}
${form(call, { action: 'record', id: FORM_ID })}
${await call.live('visits')}
${call.mayWrite && showWalkInForm(call, buildings)}`,
    }
  },
})

async function recordVisit(call: ActionCall, change: string): Promise<string> {
  const [, verb = '', kind, id] = BUTTON_PATTERN.exec(change) ?? []
  const visit = { [VISIT_ID_FIELDS[kind ?? ''] ?? '']: Number(id) }
  const mails_host = verb.endsWith('mail') && canMail(call)
  if (verb.startsWith('arrive')) {
    await call.dispatch('visitors.arrive', { ...visit, mails_host })
    const visitor = (await findVisitor(call.reads, visit)) ?? t`Visitor`
    return mails_host ? t`${visitor} arrived. The host gets an e-mail.` : t`${visitor} arrived.`
  }
  if (verb === 'undo') {
    await call.dispatch('visitors.undo-arrival', visit)
    return t`Marked as not arrived.`
  }
  if (verb === '') throw new Refusal('malformed_body', message`This form does not belong to this page.`)
  await call.dispatch('visitors.tell-host', { ...visit, mails_host })
  return mails_host ? t`The host gets an e-mail.` : t`Host notified.`
}

async function findVisitorsDay(call: VisitorsCall) {
  const buildings = await listBuildingChoices(call.reads)
  const zone = chooseZone(call.query.building, buildings)
  const today = formatLocalDate(call.now, zone)
  return { buildings, zone, today, date: call.query.date ?? today }
}
type VisitorsDay = Awaited<ReturnType<typeof findVisitorsDay>>

function showDayLinks(call: Call, date: string, today: string): Html {
  const tomorrow = addDaysToDate(today, 1)
  const links = [
    [t`Today`, null, date === today],
    [t`Tomorrow`, tomorrow, date === tomorrow],
  ] as const
  return html`<nav class="tabs day-links" aria-label="${t`Days`}"><ul>${links.map(
    ([label, day, isCurrent]) =>
      html`<li>${showLink(call.linkHere({ date: day }), label, { 'aria-current': isCurrent ? 'true' : undefined })}</li>`,
  )}</ul></nav>`
}

async function showVisits(call: VisitorsCall, { date, today, zone }: VisitorsDay): Promise<Html> {
  const { building, search } = call.query
  const from = findStartOfDay(date, zone)
  const { visits, hasMore } = await findVisits(call.reads, {
    from: findStartOfDay(addDaysToDate(date, -1), zone),
    to: findStartOfDay(addDaysToDate(date, 2), zone),
    date: call.query.date,
    at: date === today ? call.now : addHours(from, 12),
    search,
    building,
  })
  const columns = createColumns(call, from)
  const cut = hasMore && html`<p class="soft">${t`Only the first ${VISITS_MAX} are shown.`}</p>`
  if (visits.length === 0) return html`<div class="empty">${showNobodyExpected(call)}${cut}</div>`
  return html`${groupByBuilding(visits).map((group) => {
    const title = group[0]?.building ?? t`Without a building`
    const id = `building-${group[0]?.buildingId ?? 'none'}`
    return showCard(
      title,
      html`<p class="soft">${describeCounts(group)}</p>${showTable(title, columns, group, null)}`,
      id,
    )
  })}${cut}`
}

function groupByBuilding(visits: VisitorRow[]): VisitorRow[][] {
  const ids = [...new Set(visits.map(({ buildingId }) => buildingId))]
  return ids.map((id) => visits.filter(({ buildingId }) => buildingId === id))
}

const showNobodyExpected = (call: Call) => html`<p><strong>${t`No visitors are expected.`}</strong></p>
<p>${t`Guests of bookings and visitors of meetings are listed here.`} ${showLink(call.link('/events/new'), t`New meeting`)}</p>`

function describeCounts(visits: VisitorRow[]): string {
  const arrived = visits.filter(({ arrivedAt }) => arrivedAt !== null).length
  return t`${plural(visits.length, '# visitor', '# visitors')}, ${arrived} arrived`
}

const createColumns = (call: Call, dayBegins: string): Column<VisitorRow>[] => [
  { label: t`Visitor`, show: ({ visitor }) => visitor },
  {
    label: t`Time`,
    isShort: true,
    show: ({ from, zone }) => formatTimeBeside(from, addHours(dayBegins, 12), zone),
  },
  { label: t`Host`, show: (visit) => showHost(call, visit) },
  { label: t`Meeting`, show: (visit) => showMeeting(call, visit) },
  { label: t`Room`, show: (visit) => showPlace(call, visit) },
  { label: t`Arrival`, isTools: true, show: (visit) => showArrival(call, visit) },
]

function showHost(call: Call, { hostId, host, hostEmail, seat }: VisitorRow): Html {
  const place = seat && {
    text: describeSeat(seat, call.now),
    address: call.link('/map', { location: seat.locationId, bookable: seat.bookableId }),
  }
  return html`${showLinkOrText(call.link(`/people/${hostId}`), host)}
<small>${place ? showLinkOrText(place.address, place.text) : hostEmail}</small>`
}

function showMeeting(call: Call, { eventId, event, bookingId }: VisitorRow): Content {
  if (eventId !== null) return showLinkOrText(call.link(`/events/${eventId}`), event)
  if (bookingId === null) return t`walk-in`
  return showLinkOrText(call.link(`/bookings/${bookingId}`), t`Booking ${bookingId}`)
}

function showPlace(call: Call, { bookableId, bookables, locationId, location }: VisitorRow): Content {
  if (bookableId === null) return null
  if (bookables === null) return html`<small>${location}</small>`
  return html`${showLinkOrText(call.link('/map', { location: locationId, bookable: bookableId }), bookables)} <small>${location}</small>`
}

function showArrival(call: Call, visit: VisitorRow): Html {
  const { key, visitor, host, arrivedAt, zone } = visit
  const button = (change: string, label: string, about: string, tone = 'quiet') =>
    html`<button class="button ${tone}" form="${FORM_ID}" name="change" id="${change}-${key}" value="${change}-${key}" aria-label="${label}: ${about}">${label}</button>`
  if (arrivedAt === null)
    return html`${button('arrive', t`Arrived`, visitor)}
${canMail(call) && button('arrive-mail', t`Mark as arrived and e-mail the host`, visitor)}`
  const told = describeHostNotified(visit)
  return html`<span class="badge good">${t`Arrived ${formatTimeBeside(arrivedAt, visit.from, zone)}`}</span>
${told === undefined ? [canMail(call) && visit.mail === null && button('mail', t`E-mail the host`, host), button('told', t`Host notified`, host)] : html`<small>${told}</small>`}
${button('undo', t`Not arrived`, visitor)}`
}

/** Says how the host was notified. Returns undefined until the host is notified. */
function describeHostNotified({ toldAt, toldBy, mail, from, zone }: VisitorRow): string | undefined {
  if (toldAt !== null) return t`Host notified ${formatTimeBeside(toldAt, from, zone)}, ${toldBy ?? ''}`
  if (!mail || mail.isGivenUp) return undefined
  return mail.sentAt === null
    ? t`An e-mail to the host is on its way`
    : t`Host notified by e-mail ${formatTimeBeside(mail.sentAt, from, zone)}`
}
