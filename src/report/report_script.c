/* report_script.c: the one script of the page: the search. Everything else works without it. The page's content policy allows this text
 * by its hash and no other script, should an escape ever be forgotten. It holds none of & < >, so that the page stays XML. */
#include "report_internal.h"

#include <attest/model.h>

#include <string.h>

const char at_report_script[] =
    "(function(){'use strict';\n"
    "var box=document.getElementById('search'),said=document.getElementById('found');\n"
    "if(!box)return;\n"
    "var all=Array.prototype.map.call(document.querySelectorAll('section.claim'),function(e){\n"
    "return{section:e,link:document.querySelector('nav "
    "a[href=\"#'+e.id+'\"]'),text:e.textContent.toLowerCase()}});\n"
    "function show(e,yes){if(e)e.hidden=!yes}\n"
    "function look(){var words=box.value.toLowerCase().split(' ').filter(Boolean),n=0;\n"
    "all.forEach(function(c){var yes=words.every(function(w){return c.text.indexOf(w)!==-1});\n"
    "if(yes)n++;show(c.section,yes);show(c.link,yes)});\n"
    "Array.prototype.forEach.call(document.querySelectorAll('.group'),function(g){\n"
    "show(g,!!g.querySelector('section.claim:not([hidden]),nav a:not([hidden])')||!words.length)});\n"
    "said.textContent=words.length?n+' of '+all.length:''}\n"
    "box.parentNode.hidden=false;box.addEventListener('input',look);look();\n"
    "window.addEventListener('beforeprint',function(){Array.prototype.forEach.call(\n"
    "document.querySelectorAll('details'),function(d){d.open=true})})})();\n";

/* base64 of the sha-256 of s, as content policies want it: 44 characters. */
void at_report_policy_hash(const char *s, char out[48])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char hex[65];
    unsigned char byte[33] = {0};
    at_sha256(s, strlen(s), hex);
    for (int i = 0; i < 64; i++) {
        int v = hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10;
        byte[i / 2] = (unsigned char)(byte[i / 2] << 4 | v);
    }
    int n = 0;
    for (int i = 0; i < 33; i += 3) {
        unsigned v = (unsigned)byte[i] << 16 | (unsigned)byte[i + 1] << 8 | byte[i + 2];
        for (int k = 3; k >= 0; k--)
            out[n++] = digits[v >> 6 * k & 63];
    }
    out[n - 1] = '='; /* 32 bytes: the last of 33 is none */
    out[n] = '\0';
}
