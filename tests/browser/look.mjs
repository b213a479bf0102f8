// What is looked at inside the page. Everything here runs in the browser.

/** Texts that leave their box or the page, are too small, or too pale; each as a sentence. */
export function faults() {
  const found = []
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) found.push(`the document is ${document.documentElement.scrollWidth} wide in ${width}`)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const rgba = (color) => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data]
  }
  const colours = new Map()
  const parsed = (color) => colours.get(color) ?? colours.set(color, rgba(color)).get(color)
  const backgrounds = new Map()
  const behind = (element) => {
    if (!element) return parsed('Canvas')
    if (!backgrounds.has(element)) {
      const color = parsed(getComputedStyle(element).backgroundColor)
      backgrounds.set(element, color[3] === 255 ? color : behind(element.parentElement))
    }
    return backgrounds.get(element)
  }
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  let texts = 0
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node.parentElement
    if (!node.data.trim() || !element.checkVisibility() || element.closest('.hidden, title, desc')) continue
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (box.width === 0) continue
    texts += 1
    const said = node.data.trim().slice(0, 30)
    if (box.left < -0.5 || box.right > width + 0.5) found.push(`"${said}" is cut off: ${box.left} to ${box.right} in ${width}`)
    const inSvg = element.closest('svg')
    const around = (inSvg ?? element.closest('td, th, dd, dt, p, li, h1, h2, summary, figcaption, .card')).getBoundingClientRect()
    if (box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 3 || box.bottom > around.bottom + 3) {
      found.push(`"${said}" leaves its box: ${[box.left, box.top, box.right, box.bottom]} in ${[around.left, around.top, around.right, around.bottom]}`)
    }
    const style = getComputedStyle(element)
    const size = parseFloat(style.fontSize) * (inSvg ? inSvg.getScreenCTM().a : 1)
    if (size < 8.5) found.push(`"${said}" has letters of ${size} px`)
    const ink = parsed(inSvg ? style.fill : style.color)
    const ratio = contrast(ink, behind(element))
    if (ratio < 4.5) found.push(`"${said}" has a contrast of ${ratio.toFixed(2)}: ${ink} on ${behind(element)}`)
  }
  if (texts < 20) found.push(`only ${texts} texts are to be seen`)
  // A picture has a name for who cannot see it, and marks that differ from what is behind them.
  for (const svg of document.querySelectorAll('svg:not([aria-hidden])')) {
    if (!svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent) found.push('a picture has no title or no description')
  }
  for (const shape of document.querySelectorAll('path[class^=part], rect.bar-1, .chart rect')) {
    if (!shape.checkVisibility()) continue
    const ratio = contrast(parsed(getComputedStyle(shape).fill), behind(shape.ownerSVGElement.parentElement))
    if (ratio < 3) found.push(`a ${shape.getAttribute('class') ?? 'bar'} has a contrast of ${ratio.toFixed(2)}`)
  }
  // Two texts over each other in a chart.
  for (const svg of document.querySelectorAll('.chart')) {
    if (!svg.checkVisibility()) continue
    const boxes = [...svg.querySelectorAll('text')].map((text) => [text.textContent.trim(), text.getBoundingClientRect()])
    boxes.forEach(([said, one], at) => {
      for (const [other, two] of boxes.slice(at + 1)) {
        if (one.left < two.right && two.left < one.right && one.top + 3 < two.bottom && two.top + 3 < one.bottom) found.push(`"${said}" and "${other}" overlap`)
      }
    })
  }
  return found
}

/** Every number of the page, as it stands there. */
export function numbers() {
  const read = (data) => ({ shown: data.textContent.replaceAll('\u00a0', ' '), exact: data.value ?? data.getAttribute('value') })
  const tables = [...document.querySelectorAll('table[data-list]')].map((table) => ({
    list: table.dataset.list,
    rows: [...table.querySelectorAll('tbody tr:not(.rest)')].map((row) => ({
      id: row.querySelector('bdi').textContent,
      at: [...row.querySelectorAll('data[data-json]')].map((data) => data.dataset.json),
    })),
    rest: [...table.querySelectorAll('tr.rest td[data-rest]')].filter((cell) => cell.querySelector('data')).map((cell) => ({ member: cell.dataset.rest, ...read(cell.querySelector('data')) })),
  }))
  return {
    figures: [...document.querySelectorAll('data[data-json]')].map((data) => ({ at: data.dataset.json, ...read(data) })),
    texts: [...document.querySelectorAll('[data-text]')].map((code) => ({ at: code.dataset.text, text: code.textContent })),
    totals: [...document.querySelectorAll('td[data-total] data')].map(read),
    slots: [...document.querySelectorAll('[data-slots-of] data')].map((data) => ({ id: data.closest('li').querySelector('bdi').textContent, ...read(data) })),
    lengths: [...document.querySelectorAll('[data-length]')].map((data) => ({ at: data.dataset.length, ...read(data) })),
    tables,
    hacked: window.hacked ?? null,
    scripts: document.scripts.length,
    elements: [...new Set([...document.querySelectorAll('body *')].map((element) => element.localName))],
  }
}
