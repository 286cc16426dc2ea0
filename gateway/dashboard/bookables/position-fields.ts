// The fields for a position on a floor plan: in percent from the left and from the top, or empty.
import * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { exact, fieldMessage } from '../../../shared/messages/strict.ts'
import { object } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { formatNumber } from '../ui/words.ts'

export const percent = () => {
  const sentence = fieldMessage((name) => message`${name} must be a number from 0 to 100.`)
  return exact(yup.number())
    .transform((_value: unknown, original: unknown) =>
      typeof original === 'string' && /^\d{1,3}([.,]\d{1,9})?$/.test(original.trim())
        ? Number(original.trim().replace(',', '.'))
        : Number.NaN,
    )
    .typeError(sentence)
    .min(0, sentence)
    .max(100, sentence)
}

export const positionShape = { left: percent(), top: percent() }
export const positionForm = object(positionShape)

type Typed = { left?: number | undefined; top?: number | undefined }
type Share = { x: number | null; y: number | null }

/** If both are empty, the bookable is taken off the floor plan. */
export function parsePosition({ left, top }: Typed): Share {
  if (left === undefined && top === undefined) return { x: null, y: null }
  if (left === undefined || top === undefined) {
    throw invalid({
      [left === undefined ? 'left' : 'top']: [
        message`Enter both numbers, or leave both empty to take it off the floor plan.`,
      ],
    })
  }
  return { x: parsePercent(left), y: parsePercent(top) }
}

// 33.3 / 100 is 0.33299999999999996.
export function parsePercent(percent: number): number {
  return Math.round(percent * 1_000) / 100_000
}

export function showPositionFields(fields: Fields, { x, y }: Share): Html {
  const number = (name: string, label: string, share: number | null) =>
    fields.text({
      name,
      label,
      type: 'text',
      value: share === null ? '' : formatNumber(Math.round(share * 100_000) / 1_000),
    })
  return html`<div class="pair">${number('left', t`From left (%)`, x)}${number('top', t`From top (%)`, y)}</div>`
}
