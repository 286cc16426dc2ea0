// Tests SVG and PDF files that become floor plans: drawings are kept, everything else is removed, and no file harms the
// worker.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { imageSize } from 'image-size'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { convertPicture } from '../../../workers/pictures/convert-picture.ts'
import { renderPdf } from '../../../workers/pictures/render-pdf.ts'
import { sanitizeSvg } from '../../../workers/pictures/sanitize-svg.ts'

const SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const PDF = readFileSync(join(import.meta.dirname, 'plan.pdf'))
// Reading a file takes a second, or several seconds on a busy machine.
const CONVERSION_LIMITS = { memoryMb: 640, timeMs: 60_000 }

// Converts an SVG in the test process, which is faster than starting a process for each file.
const svg = async (text: string | Buffer) => {
  const { data, ...size } = sanitizeSvg(Buffer.from(text))
  return { ...size, text: data.toString() }
}
const convertDrawing = async (content: string) =>
  (await svg(`<svg ${SVG} viewBox="0 0 300 200">${content}</svg>`)).text
const catchRefusal = (converted: Promise<unknown>): Promise<Refusal> =>
  converted.then(
    () => expect.fail('It was not refused'),
    (error: Refusal) => error,
  )
const catchRefusalSentence = async (converted: Promise<unknown>) => {
  const { errors, detail } = await catchRefusal(converted)
  return writeEnglish(errors?.file?.[0] ?? detail)
}

describe('an SVG as a floor plan', () => {
  it('keeps what drawing programs write: styles, repeated symbols, gradients, texts and pictures', async () => {
    const kept = [
      '<style>.wall{fill:none;stroke:#333}</style>',
      '<symbol id="desk" viewBox="0 0 2 1"><rect width="2" height="1"></rect></symbol>',
      '<linearGradient id="shade"><stop offset="0" stop-color="#fff"></stop></linearGradient>',
      '<path class="wall" d="M0 0h300v200H0z" transform="rotate(2)"></path>',
      '<rect fill="url(#shade)" width="9" height="9"></rect>',
      '<use xlink:href="#desk" x="20"></use>',
      '<text x="3" y="4">Büro &lt;A&gt;</text>',
      '<image href="data:image/png;base64,iVBORw0KGgo=" width="4" height="4"></image>',
    ]
    const text = await convertDrawing(kept.join(''))
    for (const each of kept) expect(text).to.include(each)
  })

  it('loses scripts, external content, and everything that is not part of a drawing', async () => {
    const text = await convertDrawing(`
      <script>alert(1)</script><script xlink:href="https://evil.example/x.js"/>
      <foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="https://evil.example"/></body></foreignObject>
      <rect onclick="alert(1)" width="1" height="1"/><a href="javascript:alert(1)"><text>Room</text></a>
      <image href="https://evil.example/1.png"/><image xlink:href="//evil.example/2.png"/>
      <image href="data:image/svg+xml;base64,PHN2Zy8+"/>
      <use href="https://evil.example/3.svg#a"/><rect fill="url(https://evil.example/4.svg#a)"/>
      <style>@import "https://evil.example/5.css"; .a { fill: URL( 'https://evil.example/6') }</style>
      <style>.b { background: u\\72l(https://evil.example/7) }</style>
      <rect style="fill:url(https://evil.example/8)"/>
      <animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onload" to="alert(1)"/>
      <?xml-stylesheet href="https://evil.example/9.css"?><!-- <script>alert(1)</script> -->`)
    expect(text).to.include('Room')
    expect(text).to.not.match(/evil|script|alert|foreignObject|iframe|onclick|animate|<set|svg\+xml|<!--|<\?/)
  })

  it('may contain the entities of Illustrator, whose text is never treated as markup', async () => {
    const doctype =
      '<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY x "&#60;script>alert(1)&#60;/script>">]>'
    const { text } = await svg(
      `<?xml version="1.0"?>${doctype}<svg xmlns="&ns;" viewBox="0 0 3 2"><text>&x;</text></svg>`,
    )
    expect(text).to.not.include('<script')
    expect((await svg(entities())).text.length).to.be.below(1_000)
  })

  it('takes its size from the viewBox, or from width and height in any unit', async () => {
    const sized = async (attributes: string) => {
      const { width, height, text } = await svg(`<svg ${SVG} ${attributes}><path d="M0 0"/></svg>`)
      return { width, height, viewBox: /viewBox="([^"]*)"/.exec(text)?.[1] }
    }
    const whole = { width: 3200, height: 1600 }
    expect(await sized('viewBox="10 10 40 20"')).to.deep.equal({ ...whole, viewBox: '10 10 40 20' })
    expect(await sized('width="420mm" height="21cm"')).to.deep.include(whole)
    expect(await sized('width="100%" height="100%" viewBox="0,0,4,2"')).to.deep.include(whole)
    expect(await sized('width="9e9" height="4.5e9"')).to.deep.include(whole)
  })

  const refused: Array<[title: string, text: () => string | Buffer, says: RegExp]> = [
    ['a missing size', () => `<svg ${SVG}></svg>`, /does not say how large/],
    [
      'an invalid size',
      () => `<svg ${SVG} width="-3" height="x" viewBox="0 0 0 5"></svg>`,
      /does not say how large/,
    ],
    ['an extremely narrow size', () => `<svg ${SVG} viewBox="0 0 1e9 1"></svg>`, /far too narrow/],
    [
      'an HTML document',
      () => '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
      /damaged/,
    ],
    ['a missing end tag', () => `<svg ${SVG} viewBox="0 0 3 2"><g>`, /damaged/],
    [
      'an invalid encoding',
      () => Buffer.from(`<svg ${SVG} viewBox="0 0 3 2">\xff</svg>`, 'latin1'),
      /damaged/,
    ],
    ['a billion shapes in ten lines', () => createBillionLaughs(), /more than a million shapes/],
    [
      'shapes that refer to themselves',
      () =>
        `<svg ${SVG} viewBox="0 0 3 2"><g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></svg>`,
      /more than a million/,
    ],
  ]
  for (const [title, text, says] of refused) {
    it(`is refused: ${title}`, async () => expect(await catchRefusalSentence(svg(text()))).to.match(says))
  }

  it('is read in a separate process', async () => {
    const { data } = await convertPicture(
      'svg',
      Buffer.from(`<svg ${SVG} viewBox="0 0 3 2"></svg>`),
      CONVERSION_LIMITS,
    )
    expect(data.toString()).to.include('viewBox="0 0 3 2"')
    expect(
      await catchRefusalSentence(convertPicture('svg', Buffer.from('<svg'), CONVERSION_LIMITS)),
    ).to.match(/damaged/)
  })

  it('is refused if it takes too much time or memory to read', async () => {
    const shapes = `<svg ${SVG} viewBox="0 0 3 2">${'<path d="M0 0h1"/>'.repeat(300_000)}</svg>`
    for (const limits of [
      { ...CONVERSION_LIMITS, timeMs: 300 },
      { ...CONVERSION_LIMITS, memoryMb: 30 },
    ]) {
      const refusal = await catchRefusal(convertPicture('svg', Buffer.from(shapes), limits))
      expect(refusal.status).to.equal(413)
      expect(refusal.message).to.match(/too much time or memory/)
    }
  })
})

describe('a PDF as a floor plan', () => {
  it('becomes a PNG of its first page', async () => {
    const { data, width, height } = await convertPicture('pdf', PDF, CONVERSION_LIMITS)
    expect({ width, height }).to.deep.equal({ width: 3200, height: 2264 })
    expect(imageSize(new Uint8Array(data))).to.include({ width, height, type: 'png' })
  })

  const damaged: Array<[title: string, file: Buffer]> = [
    ['only a header', Buffer.from('%PDF-1.7\n')],
    ['only its first half', PDF.subarray(0, PDF.length / 2)],
    [
      'no pages',
      Buffer.from(
        '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>',
      ),
    ],
  ]
  for (const [title, file] of damaged) {
    it(`is refused: ${title}`, async () =>
      expect(await catchRefusalSentence(renderPdf(file))).to.match(/damaged/))
  }
})

function createBillionLaughs(): string {
  const levels = Array.from(
    { length: 10 },
    (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
  )
  return `<svg ${SVG} viewBox="0 0 3 2"><defs><rect id="l0"/>${levels.join('')}</defs><use href="#l10"/></svg>`
}

function entities(): string {
  const levels = Array.from(
    { length: 10 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  )
  return `<!DOCTYPE svg [<!ENTITY l0 "ha">${levels.join('')}]><svg ${SVG} viewBox="0 0 3 2"><text>&l10;</text></svg>`
}
