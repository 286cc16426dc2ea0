// A door as HTML: one glance says whether the place is free, and until when. The same for pages and for the frames that
// a screen keeps, so a screen without scripts or without a connection looks alike.
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { formatTime, formatTimeBeside } from '../../pages/time/instants.ts'
import type { DoorState } from './door-state.ts'
import type { Claim, Door } from './queries.ts'

const NEXT_SHOWN = 4

export function showDoor(door: Door, state: DoorState): Html {
  const { current, checkIn } = state
  return html`<div class="door ${state.kind}">
<div class="door-now">
<p class="door-word">${wordOf(state)}</p>
<p class="door-until">${untilOf(door, state)}</p>
${current && about(door, current)}
</div>
<div class="door-actions">${showActions(state)}${checkIn && checkIn.checkInUntil !== null && html`<p class="door-due">${t`Check in by ${formatTime(checkIn.checkInUntil, door.zone)}, or it becomes free.`}</p>`}</div>
<section class="door-next" aria-label="${t`Today`}"><h2>${t`Next up today`}</h2>${showNext(door, state)}</section>
</div>`
}

function wordOf({ kind }: DoorState): string {
  if (kind === 'free') return t`Free`
  if (kind === 'closed') return t`Closed`
  return t`Taken`
}

function untilOf(door: Door, { at, kind, current, freeUntil }: DoorState): string {
  const end = current ? current.to : freeUntil
  if (kind === 'closed') return ''
  if (end === null || end === undefined) return current ? t`without an end` : t`for the rest of the day`
  const isToday = formatTime(end, door.zone)
  return current || isSameDay(door, at, end)
    ? t`until ${current ? formatTimeBeside(end, at, door.zone) : isToday}`
    : t`for the rest of the day`
}

const isSameDay = ({ zone }: Door, one: string, other: string) =>
  formatTimeBeside(other, one, zone) === formatTime(other, zone)

function about(door: Door, claim: Claim): Content {
  if (!door.saysWho) return null
  const { title, who } = claim
  return html`${title !== null && html`<p class="door-title">${title}</p>`}<p class="door-who">${who ?? t`Someone`}</p>`
}

function showNext(door: Door, { next }: DoorState): Html {
  if (next.length === 0) return html`<p class="door-none">${t`Nothing more today.`}</p>`
  const items = next.slice(0, NEXT_SHOWN).map((claim) => {
    const end = claim.to === null ? '' : formatTimeBeside(claim.to, claim.from, door.zone)
    const what = door.saysWho ? (claim.title ?? claim.who ?? t`Someone`) : t`Taken`
    return html`<li><span class="door-time">${formatTime(claim.from, door.zone)}–${end}</span> <span class="door-what">${what}</span></li>`
  })
  return html`<ol>${items}</ol>`
}

function showActions({ current, checkIn, minutes }: DoorState): Content {
  return [
    checkIn && button('check-in', claimFields(checkIn), t`Check in`, 'primary'),
    minutes.length > 0 && html`<p class="door-ask">${t`Book now for`}</p>`,
    current?.mayEnd && showEnd(current, checkIn ? 'quiet' : 'primary'),
    ...minutes.map((each) => button('book', { minutes: each }, t`${each} min`, 'primary')),
  ]
}

// Asks first, so that an accidental touch ends nothing. Works without scripts; the question and “Keep it” close it again.
const showEnd = (current: Claim, tone: 'primary' | 'quiet'): Html =>
  html`<details class="door-confirm"><summary><span class="door-shut door-button ${tone}">${t`End now`}</span><span class="door-open">${t`End it now? It becomes free for others.`}</span><span class="door-open door-button quiet">${t`Keep it`}</span></summary>
${button('end', claimFields(current), t`Yes, end it`, 'primary')}</details>`

const claimFields = ({ id }: Claim) => ({ booking: id })

/** The key is filled in when a page is made, or by the script when somebody presses the button. */
const button = (
  action: string,
  fields: Record<string, number>,
  label: string,
  tone: 'primary' | 'quiet',
): Html => html`<form method="post" class="door-form"><input type="hidden" name="action" value="${action}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="key" value=""><button class="door-button ${tone}">${label}</button></form>`
