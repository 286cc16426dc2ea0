// Shows the meetings on the Today page that are not over: the time, the title, the place and the number of
// people.
import { type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatTimeBeside } from '../../pages/time/instants.ts'
import { showCard, showLinkOrText } from '../../pages/ui/parts.ts'
import type { EventRow } from '../events/queries.ts'
import { findToday } from './queries.ts'

export async function showMeetings(call: Call): Promise<Html> {
  const { meetings, zone, date } = await findToday(call.services)
  const { today, next, left } = meetings
  if (today === 0) return html``
  const more = left - next.length
  const all = (words: string) => showLinkOrText(call.link('/events', { from: date, to: date }), words)
  return showCard(
    t`Meetings`,
    html`${next.length === 0 && html`<p class="soft">${t`All of today’s meetings are over.`}</p>`}
<ul class="agenda">${next.map((meeting) => showMeeting(call, meeting, zone))}</ul>
<p>${all(more > 0 ? plural(more, '# more today', '# more today') : t`All of today’s meetings`)}</p>`,
  )
}

function showMeeting(call: Call, { id, name, from, to, rooms, people }: EventRow, zone: string): Html {
  const isNow = from <= call.now
  const about = [...rooms, ...(people > 0 ? [plural(people, '# person', '# people')] : [])].join(' · ')
  return html`<li><span class="soft">${formatTimeBeside(from, call.now, zone)}–${formatTimeBeside(to, call.now, zone)}</span>
<span>${showLinkOrText(call.link(`/events/${id}`), name)}${isNow && html` <span class="badge accent">${t`now`}</span>`}<small>${about}</small></span></li>`
}
