// Describes how a figure of a report differs from the figure of an earlier period.
import { type Content, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import { formatNumber } from '../../pages/ui/parts.ts'

/** Compares two shares in percent. `before` names the earlier period, such as “in the week before”. */
export function comparePercentages(percent: number, former: number, before: string): Content {
  const points = Math.round(percent) - Math.round(former)
  if (points === 0) return showChange('', t`as ${before}`)
  return points > 0
    ? showChange('▲', plural(points, '# point more than {0}', '# points more than {0}', before))
    : showChange('▼', plural(-points, '# point less than {0}', '# points less than {0}', before))
}

/** Compares two numbers. Shows nothing if the earlier period has no number. */
export function compareNumbers(number: number, former: number, before: string): Content {
  if (former === 0) return null
  const percent = Math.round((100 * (number - former)) / former)
  if (percent === 0) return showChange('', t`as ${before}`)
  const size = `${formatNumber(Math.abs(percent))} %`
  return percent > 0
    ? showChange('▲', t`${size} more than ${before}`)
    : showChange('▼', t`${size} less than ${before}`)
}

const showChange = (arrow: string, words: string) =>
  html`<small>${arrow && html`<span aria-hidden="true">${arrow}</span> `}${words}</small>`
