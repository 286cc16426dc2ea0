// Adds a slider to the form that chooses the time of the map. The map follows the slider at once.
import { formatMinute } from '../pages/time/intervals.ts'
import { withQuery } from './shared/dom.ts'

const box = document.querySelector('[data-moment]')
if (box) followSlider(box)

function followSlider(box: Element) {
  const slider = box.querySelector('input[type="range"]') as HTMLInputElement
  const time = box.querySelector('input[name="time"]') as HTMLInputElement
  const date = box.querySelector('input[name="date"]') as HTMLInputElement
  slider.parentElement?.removeAttribute('hidden')
  slider.addEventListener('input', () => {
    time.value = formatMinute(Number(slider.value))
    show()
  })
  for (const field of [date, time]) field.addEventListener('change', show)
  // Updates the map if the user changed the fields before this script loaded.
  if ([date, time].some((field) => field.value !== field.defaultValue)) show()

  function show() {
    if (!date.value || !time.value) return
    const [hours = 0, minutes = 0] = time.value.split(':').map(Number)
    if (document.activeElement !== slider) slider.value = String(hours * 60 + minutes)
    slider.setAttribute('aria-valuetext', time.value)
    const moment = { date: date.value, time: time.value }
    for (const part of document.querySelectorAll<HTMLElement>('[data-refresh]')) {
      part.dataset.refresh = withQuery(part.dataset.refresh ?? '', moment)
      part.dispatchEvent(new Event('refresh'))
    }
    history.replaceState(null, '', withQuery(location.href, moment))
    box.querySelector('[data-shown]')?.setAttribute('hidden', '')
    box.querySelector('[data-now]')?.removeAttribute('hidden')
  }
}
