// Tests that styles use only the design tokens: one file names all text sizes, weights and colours.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../../../local/tools/folders.ts'

const folder = join(projectDirectory, 'gateway/web/browser')
const readSheet = (name: string) => readFileSync(join(folder, name), 'utf8')
const styleSheets = readdirSync(folder).filter((name) => name.endsWith('.css') && name !== 'tokens.css')

describe('the design tokens', () => {
  const findLines = (wrong: RegExp) =>
    styleSheets.flatMap((name) =>
      (readSheet(name).match(wrong) ?? []).map((each) => `${name}: ${each.trim()}`),
    )

  it('cover every size and weight of text', () => {
    expect(findLines(/font-(size|weight): (?!var\(|inherit|0;|0\.\d+em)[^;]*;/g)).to.deep.equal([])
  })

  it('cover all colours except those of the cells on floor plans', () => {
    const colour = /^.*(#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)\([^)]*\)).*$/gim
    expect(
      findLines(colour).filter((each) => !/^(places\.css|screen\.css: --cell)/.test(each)),
    ).to.deep.equal([])
  })

  it('keep all distances on a grid of 2 pixels', () => {
    const distances = styleSheets.flatMap((name) =>
      [...readSheet(name).matchAll(/^\s*(?:padding|margin|gap)[\w-]*: (?!calc)([^;]*);/gm)].flatMap(
        ([line, value = '']) =>
          (value.match(/[\d.]+(?=rem)/g) ?? []).map(
            (rem) => [`${name}: ${line.trim()}`, Number(rem)] as const,
          ),
      ),
    )
    expect(distances.length).to.be.greaterThan(100)
    expect(distances.filter(([, rem]) => !Number.isInteger(rem * 8))).to.deep.equal([])
  })

  it('name no class that no page has', () => {
    const sources = readdirSync(join(projectDirectory, 'gateway'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(projectDirectory, 'gateway', name), 'utf8'))
    const words = new Set(sources.flatMap((source) => source.match(/[\w-]+/g) ?? []))
    const classes = styleSheets.flatMap((name) =>
      [...readSheet(name).matchAll(/(?<=\.)[a-z][\w-]*(?=[^;{}]*\{)/g)].map(([each]) => each),
    )
    // Pages compute the rest of these names.
    const isComputed = (name: string) => /^(begins|wide)-/.test(name)
    expect(new Set(classes)).to.have.property('size').above(200)
    expect(classes.filter((each) => !words.has(each) && !isComputed(each))).to.deep.equal([])
  })

  it('include no unused icons', () => {
    const drawn = [...readSheet('icons.svg').matchAll(/<symbol id="([\w-]+)"/g)].map(([, name]) => name)
    const named = readFileSync(join(projectDirectory, 'gateway/web/pages/ui/icons.ts'), 'utf8').match(
      /(?<=\| ')[\w-]+/g,
    )
    expect(drawn).to.deep.equal(named)
  })
})
