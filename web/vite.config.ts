import { defineConfig, type Plugin } from 'vite';

// Puts script and style into the page, so that one file is all there is: the program embeds it, and
// a shared recording is this file with the recording inside.
function onePage(): Plugin {
  return {
    name: 'one-page',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (!page || page.type !== 'asset') throw new Error('index.html is missing from the bundle');
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (name === 'index.html') continue;
        if (part.type === 'chunk') {
          const code = part.code.replaceAll('</script', '<\\/script');
          html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, () =>
            `<script type="module">${code}</script>`);
        } else if (name.endsWith('.css')) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${part.source}</style>`);
        } else {
          throw new Error(`${name} cannot be put into the page`);
        }
        delete bundle[name];
      }
      if (/<script[^>]* src=|<link rel="stylesheet"/.test(html.replace(/<script type="module">[^]*?<\/script>/, ''))) {
        throw new Error('the page still refers to other files');
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  base: './',
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
  },
});
