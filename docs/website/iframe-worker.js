/* A page that is opened from a disk may start no worker: there the search runs in a hidden frame. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.documentElement.appendChild(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = frame.contentDocument.createElement("script")
      this.ready = new Promise(done => { script.onload = done })
      script.src = url
      frame.contentDocument.documentElement.appendChild(script)
    }
    postMessage(data) {
      const message = new this.inside.MessageEvent("message", { data })
      this.ready.then(() => this.inside.dispatchEvent(message))
    }
    terminate() {}
  }
