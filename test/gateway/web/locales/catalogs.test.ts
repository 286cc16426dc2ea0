// Tests that the German catalogs are complete: each sentence of the sources is in one of the catalogs, and
// the catalogs contain no other sentences.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { catalogs } from '../../../../gateway/web/locales/catalogs.ts'
import { withLanguage } from '../../../../gateway/web/locales/translate.ts'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import type { MessageCatalog } from '../../../../shared/messages/write-message.ts'
import { findSentences } from './sentences.ts'

const CATALOG_FILES = ['gateway/web/locales/german.json', 'shared/messages/german.json']

// Sentences with a count that are used only for several items, so they need no singular.
const PLURAL_ONLY_SENTENCES = [
  'every # days',
  'every # weeks',
  'every # weeks on {0}',
  '{0} already exist on this floor.',
]

const hasWords = (key: string) => /\p{L}/u.test(key.replace(/\{\w+\}/g, ''))
const listPlaceholders = (text: string) => [...new Set(text.match(/\{\w+\}|#(?= |$)/g) ?? [])].sort()

const readText = (file: string) => readFileSync(join(projectDirectory, file), 'utf8')

describe('the German message catalogs', () => {
  const messages: MessageCatalog = JSON.parse(readText('shared/messages/german.json'))
  const found = ['gateway', 'workers', 'shared'].flatMap((folder) => findSentences(folder))
  const written = CATALOG_FILES.flatMap((file) => Object.keys(JSON.parse(readText(file))))
  const titles = Object.values(REFUSALS).map(({ title }) => title)
  const keys = new Set([...found.map(({ key }) => key), ...titles])

  it('have a translation of every sentence', () => {
    expect(keys.size).to.be.greaterThan(500)
    expect([...keys].filter((key) => hasWords(key) && !(key in catalogs.de))).to.deep.equal([])
  })

  it('have no sentence that no source file uses', () => {
    const capitalize = (key: string) => key.charAt(0).toUpperCase() + key.slice(1)
    expect(written.filter((key) => !keys.has(key) && !keys.has(capitalize(key)))).to.deep.equal([])
  })

  it('have every sentence once, in alphabetical order', () => {
    for (const file of CATALOG_FILES) {
      const catalog: MessageCatalog = JSON.parse(readText(file))
      const sorted = Object.fromEntries(Object.entries(catalog).sort(([a], [b]) => (a < b ? -1 : 1)))
      expect(readText(file), file).to.equal(`${JSON.stringify(sorted, null, 2)}\n`)
    }
    expect(written).to.have.length(new Set(written).size)
  })

  // A German message may omit a value, because some English words (writes, reads) have no suitable German
  // equivalent.
  it('use only placeholders of the English sentence, and for pages all of them', () => {
    const isRight = (key: string, values: string[]) =>
      key in messages
        ? values.every((value) => listPlaceholders(key).includes(value))
        : values.join() === listPlaceholders(key).join()
    const wrong = Object.entries(catalogs.de).flatMap(([key, translation]) =>
      translation
        .split(' | ')
        .filter((each) => !isRight(key, listPlaceholders(each)))
        .map((each) => `${key} → ${each}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('have both plural forms for sentences with counts, and for no other sentences', () => {
    const counted = new Set(found.filter(({ isPlural }) => isPlural).map(({ key }) => key))
    expect(counted.size).to.be.greaterThan(50)
    const hasBoth = (key: string) => catalogs.de[key]?.includes(' | ')
    expect(written.filter((key) => hasBoth(key) && !counted.has(key))).to.deep.equal([])
    expect([...counted].filter((key) => hasWords(key) && !hasBoth(key))).to.have.members(
      PLURAL_ONLY_SENTENCES,
    )
  })

  it('are used only for readers of German', () => {
    const [key = '', translation = ''] =
      Object.entries(catalogs.de).find(([each, text]) => !text.includes(' | ') && text !== each) ?? []
    expect(withLanguage('de', catalogs.de, () => catalogs.de[key])).to.equal(translation)
  })
})
