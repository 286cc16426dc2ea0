// The card on the page of a room that says whether its calendar and Berth are in step, or why not.
import { PROVIDER_LABELS } from '../../../../shared/room-calendars/room-calendars.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, plural, t, tHtml } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { showCard, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { findLink, type LinkRow } from './queries.ts'
import { CALENDARS_PATH, CONFLICTS_PATH } from './tabs.ts'

/** Shows nothing for a room without a calendar. */
export async function showRoomCalendarCard(call: Call, bookableId: number): Promise<Content> {
  const link = await findLink(call.reads, bookableId)
  if (!link) return null
  const { provider, calendar, conflicts } = link
  return showCard(
    t`Calendar of the room`,
    html`<p>${PROVIDER_LABELS[provider]}: <code>${calendar}</code></p>
${showState(call, link)}
${conflicts > 0 && html`<p>${plural(conflicts, '# meeting of the calendar has no room in Berth.', '# meetings of the calendar have no room in Berth.')} ${showLink(call.link(CONFLICTS_PATH), t`Conflicts`)}</p>`}
<div class="buttons">${showLink(call.link(`${CALENDARS_PATH}/${bookableId}/unlink`), t`Unlink`, { class: 'button quiet' })}</div>`,
    'room-calendar',
  )
}

function showState(
  call: Call,
  { isInStep, inStepAt, linkedAt, fault, faultSince, faultyEntries }: LinkRow,
): Html {
  const last =
    inStepAt === null
      ? tHtml`Linked ${showRelativeInstant(linkedAt, call.now)}.`
      : tHtml`Last in step ${showRelativeInstant(inStepAt, call.now)}.`
  if (isInStep) return html`<p><span class="badge good">${t`in step`}</span> ${last}</p>`
  if (fault !== null) {
    const since = faultSince === null ? last : tHtml`Since ${showRelativeInstant(faultSince, call.now)}.`
    return showNotice('bad', formatMessage(fault), html`<p>${since}</p>`)
  }
  if (faultyEntries > 0)
    return showNotice(
      'warn',
      plural(
        faultyEntries,
        '# booking could not be written to the calendar.',
        '# bookings could not be written to the calendar.',
      ),
      html`<p>${last}</p>`,
    )
  return inStepAt === null
    ? html`<p><span class="badge accent">${t`being linked`}</span> ${last}</p>`
    : showNotice('warn', t`Berth has not compared the calendar for ten minutes.`, html`<p>${last}</p>`)
}
