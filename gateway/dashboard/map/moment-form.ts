// The form for the moment that a map shows.
import { attributes, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { formatZone } from '../time/zones.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import type { MapMoment } from './queries.ts'

const SLIDER_STEP_MINUTES = 15

/** The form works without scripts; a script adds a slider. */
export function momentForm(
  call: Call,
  { id, date, time, timezone, isNow }: MapMoment,
  person: string | undefined,
): Html {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const slider = attributes({
    min: 0,
    max: 24 * 60 - SLIDER_STEP_MINUTES,
    step: SLIDER_STEP_MINUTES,
    value: hours * 60 + minutes,
    'aria-valuetext': time,
  })
  const now = call.linkHere({ date: null, time: null, booking: null, location: id })
  return html`<div class="card moment" data-moment>
${searchForm(call, t`Show`, (fields) => [
  fields.text({ name: 'date', label: t`Day`, type: 'date', value: date, required: true }),
  fields.text({ name: 'time', label: t`Time`, type: 'time', value: time, required: true }),
  fields.text({
    name: 'person',
    label: t`Person`,
    type: 'search',
    value: person,
    placeholder: t`Name or e-mail`,
    maxlength: 255,
  }),
])}
<div class="slider" hidden><label for="moment-slider">${t`Time of day`}</label>
<input type="range" id="moment-slider"${slider}></div>
<p class="soft">${isNow && html`<span data-shown>${t`Live: this map updates automatically.`} </span>`}${showLink(now, t`Back to now`, { 'data-now': true, hidden: isNow })}
${t`Time zone: ${formatZone(timezone)}.`}</p></div>`
}
