// The ETag of a bookable. Gateways and workers compute it in the same way.
import { computeEtag } from '../utilities/etags.ts'

// `calendar` is the last field of a bookable, and `in_step` and `fault_code` are the last fields of `calendar`.
const CALENDAR_STATE = /,"in_step":(true|false),"fault_code":(?:null|"(\w+)")(?=\}\}\}$)/

/**
 * `content` leaves out whether the room's calendar is in step, which changes by itself. `If-Match` compares only this part, so
 * that a reading of the calendar makes no write fail. `whole` is the ETag of the answer.
 */
export function computeBookableEtags(body: string): { content: string; whole: string } {
  const [found, inStep, fault] = CALENDAR_STATE.exec(body) ?? []
  const content = computeEtag(found === undefined ? body : body.replace(CALENDAR_STATE, ''))
  const state = [inStep, fault].filter(Boolean).join('.')
  return { content, whole: state ? content.replace(/"$/, `.${state}"`) : content }
}
