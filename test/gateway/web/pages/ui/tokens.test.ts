// The styles use the design tokens only: sizes of text, weights and colours are named in one file.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../../../local/tools/folders.ts'

const folder = join(projectDirectory, 'gateway/web/browser')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const sheets = readdirSync(folder).filter((name) => name.endsWith('.css') && name !== 'tokens.css')

describe('the design tokens', () => {
  const findLines = (wrong: RegExp) =>
    sheets.flatMap((name) => (read(name).match(wrong) ?? []).map((each) => `${name}: ${each.trim()}`))

  it('name every size and weight of text', () => {
    expect(findLines(/font-(size|weight): (?!var\(|inherit|0;|0\.\d+em)[^;]*;/g)).to.deep.equal([])
  })

  it('name every colour, except those on floor plans, which are the same in dark mode', () => {
    const colour = /^.*(#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)\([^)]*\)).*$/gim
    expect(findLines(colour).filter((each) => !each.startsWith('places.css'))).to.deep.equal([])
  })

  it('keep every distance on a grid of 2 pixels', () => {
    const distances = sheets.flatMap((name) =>
      [...read(name).matchAll(/^\s*(?:padding|margin|gap)[\w-]*: ([^;]*);/gm)].flatMap(([line, value = '']) =>
        (value.match(/[\d.]+(?=rem)/g) ?? []).map((rem) => [`${name}: ${line.trim()}`, Number(rem)] as const),
      ),
    )
    expect(distances.length).to.be.greaterThan(100)
    expect(distances.filter(([, rem]) => !Number.isInteger(rem * 8))).to.deep.equal([])
  })

  it('have no icon that no page uses', () => {
    const drawn = [...read('icons.svg').matchAll(/<symbol id="([\w-]+)"/g)].map(([, name]) => name)
    const named = readFileSync(join(projectDirectory, 'gateway/web/pages/ui/icons.ts'), 'utf8').match(
      /(?<=\| ')[\w-]+/g,
    )
    expect(drawn).to.deep.equal(named)
  })
})
