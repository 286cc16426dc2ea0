// The scripts of the pages say everything in German too, and their catalog has nothing else.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { findSentences } from '../locales/sentences.ts'

const ASSETS = 'gateway/dashboard/client'

describe('the German of the scripts', () => {
  const found = findSentences(ASSETS, '.js')
  let german: Record<string, string | Record<string, string>> = {}
  before(async () => {
    const read: { german: typeof german } = await import(
      pathToFileURL(join(projectDirectory, ASSETS, 'german.js')).href
    )
    german = read.german
  })

  it('has each of their sentences, and nothing else', () => {
    expect(found.length).to.be.greaterThan(30)
    const keys = new Set(found.map(({ key }) => key))
    expect(Object.keys(german).sort()).to.deep.equal([...keys].sort())
  })

  it('has forms of what is counted, and of nothing else', () => {
    const wrong = found.filter(({ key, isPlural }) => (typeof german[key] === 'string') === isPlural)
    expect(wrong).to.deep.equal([])
  })

  it('keeps every value of a sentence', () => {
    const valuesOf = (text: string) => [...new Set(text.match(/\{\d+\}|#/g) ?? [])].sort().join()
    const wrong = Object.entries(german).flatMap(([key, translation]) =>
      (typeof translation === 'string' ? [translation] : Object.values(translation)).filter(
        (each) => valuesOf(each) !== valuesOf(key),
      ),
    )
    expect(wrong).to.deep.equal([])
  })
})
