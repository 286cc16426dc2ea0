// Shows an address as a QR code.
import { encode } from 'uqr'
import { type Html, html } from '../../../html/html.ts'

export function showQrCode(address: string, label: string): Html {
  const { size, data } = encode(address, { ecc: 'M', border: 0 })
  return html`<svg viewBox="0 -.5 ${size} ${size}" class="qr" role="img" aria-label="${label}"><path d="${drawModules(data)}"/></svg>`
}

/**
 * Draws a stroke along each run of dark modules, starting at the end of the previous stroke. This takes half the bytes
 * of outlines.
 */
function drawModules(rows: boolean[][]): string {
  let [x, y] = [0, 0]
  return rows
    .flatMap((row, line) =>
      [
        ...row
          .map((dark) => (dark ? '#' : ' '))
          .join('')
          .matchAll(/#+/g),
      ].map(({ index, 0: run }) => {
        const step = `m${index - x} ${line - y}h${run.length}`
        ;[x, y] = [index + run.length, line]
        return step
      }),
    )
    .join('')
}
